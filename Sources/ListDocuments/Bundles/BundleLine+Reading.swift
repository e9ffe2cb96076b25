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
    BundleStep(
      version: try version(), note: try note(), checksum: try self["checksum"].checksum(),
      chain: try self["chain"].chain(),
      changes: try changes(oldCount: oldCount, newCount: try self["count"].itemCount()))
  }

  private func bundleStart() throws(Malformed) -> BundleStart {
    switch try self["kind"].string() {
    case "full":
      try self["prerequisite"].expectNull()
      guard let base = try self["base"].ifNotNull?.versionRecord() else { return .zero }
      return .base(base)
    case "incremental":
      try self["base"].expectNull()
      return .prerequisite(try self["prerequisite"].bundleState())
    default: throw self["kind"].malformed("\"full\" or \"incremental\"")
    }
  }

  private func bundleState() throws(Malformed) -> BundleState {
    let state = BundleState(
      version: try version(), count: try self["count"].itemCount(),
      checksum: try self["checksum"].checksum(), chain: try self["chain"].chain())
    guard try self["cursor"].cursor() == state.cursor else {
      throw self["cursor"].malformed("the cursor of the version and the chain beside it")
    }
    return state
  }

  private func versionRecord() throws(Malformed) -> VersionRecord {
    let counts = self["changes"]
    return VersionRecord(
      version: try version(), note: try note(), count: try self["count"].itemCount(),
      changes: ChangeCounts(
        removed: try counts["removed"].changeCount(), moved: try counts["moved"].changeCount(),
        inserted: try counts["inserted"].changeCount(),
        updated: try counts["updated"].changeCount()),
      checksum: try self["checksum"].checksum(), chain: try self["chain"].chain())
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

  private func note() throws(Malformed) -> CommitNote {
    CommitNote(
      time: try self["committed_at"].moment(),
      author: try self["author"].ifNotNull?.string(),
      message: try self["message"].ifNotNull?.string())
  }

  private func moment() throws(Malformed) -> Timestamp {
    guard case .moment(let time) = Timestamp.read(try string()) else {
      throw malformed("a time such as 2026-11-21T11:37:00.250Z")
    }
    return time
  }

  private func chain() throws(Malformed) -> Chain {
    guard let chain = Chain(try string()) else { throw malformed("64 hex digits") }
    return chain
  }

  private func idRule() throws(Malformed) -> IDRule {
    let fields = try map { field throws(Malformed) in try field.string() }
    guard let rule = try? IDRule(fields) else { throw malformed("an id rule") }
    return rule
  }

  private func expectNull() throws(Malformed) {
    if let view, view.kind != .null { throw malformed("null") }
  }
}
