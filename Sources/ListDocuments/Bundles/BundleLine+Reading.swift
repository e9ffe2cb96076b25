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
      target: try self["target"].bundleState())
  }

  /// - Parameter oldCount: the number of items before the step, which its line does not contain.
  func bundleStep(oldCount: Int) throws(Malformed) -> BundleStep {
    let changes = try changes(oldCount: oldCount, newCount: try self["count"].itemCount())
    return BundleStep(try versionRecord(changes.counts), changes: changes)
  }

  private func bundleStart() throws(Malformed) -> BundleStart {
    switch try self["kind"].string() {
    case "full":
      try self["prerequisite"].expectNull()
      guard let base = self["base"].ifNotNull else { return .zero }
      return .base(try base.versionRecord(base["changes"].changeCounts()))
    case "incremental":
      try self["base"].expectNull()
      return .prerequisite(try self["prerequisite"].bundleState())
    default: throw self["kind"].malformed("\"full\" or \"incremental\"")
    }
  }

  private func bundleState() throws(Malformed) -> BundleState {
    let state = BundleState(
      version: try version(), count: try self["count"].itemCount(),
      root: try self["root"].root(), chain: try self["chain"].chain())
    guard try self["cursor"].cursor() == state.cursor else {
      throw self["cursor"].malformed("the cursor of the version and the chain beside it")
    }
    return state
  }

  private func versionRecord(_ changes: ChangeCounts) throws(Malformed) -> VersionRecord {
    VersionRecord(
      version: try version(),
      note: CommitNote(
        time: try self["committed_at"].moment(), author: try self["author"].ifNotNull?.string(),
        message: try self["message"].ifNotNull?.string()),
      count: try self["count"].itemCount(), changes: changes,
      root: try self["root"].root(), chain: try self["chain"].chain())
  }

  private func changeCounts() throws(Malformed) -> ChangeCounts {
    ChangeCounts(
      removed: try self["removed"].changeCount(), moved: try self["moved"].changeCount(),
      inserted: try self["inserted"].changeCount(), updated: try self["updated"].changeCount())
  }

  private func version() throws(Malformed) -> Version {
    Version(try self["version"].index(upTo: Version.highest.number))
  }

  /// The number of changes of one kind, at most the highest number of items.
  private func changeCount() throws(Malformed) -> Int { try index(upTo: Limit.items.highest) }

  private func index(upTo highest: Int) throws(Malformed) -> Int {
    let number = try index()
    guard number <= highest else { throw malformed("a whole number up to \(highest)") }
    return number
  }

  private func moment() throws(Malformed) -> Timestamp {
    guard case .moment(let time) = Timestamp.read(try string()) else {
      throw malformed("a time such as 2026-11-21T11:37:00.250Z")
    }
    return time
  }

  private func chain() throws(Malformed) -> Chain { try value("64 hex digits") { Chain($0) } }

  private func idRule() throws(Malformed) -> IDRule {
    let fields = try map { field throws(Malformed) in try field.string() }
    guard let rule = try? IDRule(fields) else { throw malformed("an id rule") }
    return rule
  }

  private func expectNull() throws(Malformed) {
    if let view, view.kind != .null { throw malformed("null") }
  }
}
