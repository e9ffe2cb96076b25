import ListModel

extension BundleHeader {
  static let format = "list-bundle/1"

  /// The line with its end.
  var line: [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", Self.format)
      writer.member("kind", isFull ? "full" : "incremental")
      writer.member("list", list.text)
      writer.name("id_rule")
      writer.raw(idRule.flatMap(IDRule.init(text:))?.text ?? "null")
      writer.object("from") { $0.members(proving: startState) }
      if case .base(let record) = start { writer.member("changes", record.changes) }
      writer.object("to") { $0.members(proving: target) }
    } + "\n".utf8
  }
}

extension DocumentField {
  func bundleHeader() throws(Malformed) -> BundleHeader {
    try self["format"].expect(BundleHeader.format)
    return BundleHeader(
      list: try self["list"].listName(),
      idRule: try self["id_rule"].ifNotNull?.idRule().text,
      start: try bundleStart(),
      target: try self["to"].provenState())
  }

  private func bundleStart() throws(Malformed) -> BundleStart {
    let kind = try self["kind"].string()
    let state = try self["from"].provenState()
    if kind == "incremental" { return .prerequisite(state) }
    guard kind == "full" else { throw self["kind"].malformed("\"full\" or \"incremental\"") }
    guard let header = state.header else { return .zero }
    let changes = try self["changes"].changeCounts()
    return .base(VersionRecord(header, count: state.count, changes: changes))
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
}
