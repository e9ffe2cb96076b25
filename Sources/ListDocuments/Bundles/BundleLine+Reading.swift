import ListModel

extension DocumentField {
  /// The kind of line that this may be; nil when it is none.
  var bundleLine: BundleLine? {
    if self["format"].view != nil { return .header }
    if self["lines"].view != nil { return .end }
    if self["version"].view != nil { return .step }
    return self["id"].view != nil ? .item : nil
  }

  func bundleHeader() throws(Malformed) -> BundleHeader {
    try self["format"].expect(BundleReader.format)
    return BundleHeader(
      list: try self["list"].listName(),
      idRule: try self["id_rule"].ifNotNull?.idRule().text,
      start: try bundleStart(),
      target: try self["target"].provenState())
  }

  /// A step, and the cursor that its line states.
  ///
  /// - Parameter state: the state before the step.
  func bundleStep(after state: ListState) throws(Malformed) -> (BundleStep, Cursor) {
    let count = try self["count"].itemCount()
    let changes = try changes(oldCount: state.count, newCount: count)
    let (version, cursor) = (try version(), try self["cursor"].cursor())
    guard version > .zero else { throw self["version"].malformed("a version from 1") }
    let header = VersionHeader(
      version: version, note: try note(), root: try self["root"].root(),
      previous: state.chain ?? .zero)
    let record = VersionRecord(header, count: count, changes: changes.counts)
    return (BundleStep(record, changes: changes), cursor)
  }

  private func bundleStart() throws(Malformed) -> BundleStart {
    switch try self["kind"].string() {
    case "full":
      try self["prerequisite"].expectNull()
      guard let base = self["base"].ifNotNull else { return .zero }
      let state = try base.provenState()
      guard let header = state.header else { throw base.malformed("a version from 1") }
      return .base(
        VersionRecord(header, count: state.count, changes: try base["changes"].changeCounts()))
    case "incremental":
      try self["base"].expectNull()
      return .prerequisite(try self["prerequisite"].provenState())
    default: throw self["kind"].malformed("\"full\" or \"incremental\"")
    }
  }

  private func changeCounts() throws(Malformed) -> ChangeCounts {
    ChangeCounts(
      removed: try self["removed"].changeCount(), moved: try self["moved"].changeCount(),
      inserted: try self["inserted"].changeCount(), updated: try self["updated"].changeCount())
  }

  /// The number of changes of one kind, at most the highest number of items.
  private func changeCount() throws(Malformed) -> Int { try index(upTo: Limit.items.highest) }

  private func idRule() throws(Malformed) -> IDRule {
    let fields = try map { field throws(Malformed) in try field.string() }
    guard let rule = try? IDRule(fields) else { throw malformed("an id rule") }
    return rule
  }

  private func expectNull() throws(Malformed) {
    if let view, view.kind != .null { throw malformed("null") }
  }
}
