import ArgumentParser
import ListDocuments
import ListModel
import SyncClient
import SyncService

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints a list at a version, as a JSON array with one item a line.",
    discussion: """
      csv and tsv have a column for each member of the items. Arrays and objects are cells of JSON.

      EXAMPLE
        listsync show parks
        listsync show parks@1916-08-25 > parks-1916.json
        listsync show parks --format csv
        listsync show parks --item denali
        listsync show --replica parks.replica
      """)

  @Argument(
    help: ArgumentHelp("LIST or LIST@REV; REV is \(Revision.forms).", valueName: "list[@rev]"),
    completion: .targets, transform: ListRevision.init(argument:))
  var target: ListRevision?
  @OptionGroup var replicas: ReplicaOptions
  @Option(help: "The document's format.") var format = Format.json
  @Flag(name: .customLong("ids"), help: "Print only the ids, one per line.") var showsIDs = false
  @OptionGroup var item: ItemOptions
  @OptionGroup var store: StoreArguments
  @OptionGroup var pager: PagerOptions
  @OptionGroup var answer: AnswerOptions

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case json, ndjson, csv, tsv
  }

  func validate() throws {
    guard (target == nil ? 0 : 1) + replicas.paths.count == 1 else {
      throw ValidationError("name a list, or one replica's file with --replica.")
    }
    if showsIDs, item.id != nil || format != .json {
      throw ValidationError("--ids has a format of its own: leave out --item and --format.")
    }
    if answer.isJSON, showsIDs || format == .csv || format == .tsv {
      throw ValidationError("--json: leave out --ids and the formats csv and tsv.")
    }
  }

  func run() async throws {
    try await pager.page {
      if let target, item.id == nil, let part = part() { return try await show(target, part) }
      guard let written = item.id else { return try write(await snapshot()) }
      try write(try Snapshot([await item(written)]))
    }
  }

  private func item(_ written: WrittenID) async throws -> Item {
    if let target {
      let service = try store.service()
      for id in written.spellings {
        do {
          return try await service.item(id, of: target.list, at: target.revision).item
        } catch ServiceError.itemAbsent {}
      }
    } else {
      let items = try await snapshot().items
      for id in written.spellings {
        if let item = items.first(where: { $0.id == id }) { return item }
      }
    }
    throw VerbError.absentItem(written.spellings[0], in: target?.list.text ?? replicas.paths[0])
  }

  private typealias Part = @Sendable (_ items: [Item], _ index: Int) -> [UInt8]

  /// The lines of some items; nil for a format whose first line depends on all items.
  private func part() -> Part? {
    if showsIDs { return { items, _ in Self.lines(items) { Output.line(of: $0.id).utf8 } } }
    switch format {
    case .json: return SnapshotDocument.part
    case .ndjson: return { items, _ in Self.lines(items) { $0.content.bytes } }
    case .csv, .tsv: return nil
    }
  }

  private func end(count: Int) -> [UInt8] {
    format == .json && !showsIDs ? SnapshotDocument.end(count: count) : []
  }

  private static func lines<Line: Sequence<UInt8>>(
    _ items: [Item], _ line: (Item) -> Line
  ) -> [UInt8] {
    items.reduce(into: []) { bytes, item in
      bytes += line(item)
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  /// Shows a list that need not fit in memory.
  private func show(_ target: ListRevision, _ part: @escaping Part) async throws {
    let output = Spool()
    let state = try await ProgressLine.timing("reading \(target.list)") {
      try await store.service().items(of: target.list, at: target.revision) { items, index in
        if index == 0 { output.restart() }
        output.append(part(items, index))
      }
    }
    output.append(end(count: state.count))
    try output.writeOutput()
  }

  private func snapshot() async throws -> Snapshot {
    guard let target else { return try await ReplicaFile.read(replicas.paths[0]).copy.snapshot }
    return try await ProgressLine.timing("reading \(target.list)") {
      try await store.service().snapshot(of: target.list, at: target.revision).snapshot
    }
  }

  private func write(_ snapshot: Snapshot) throws {
    if item.id == nil, let part = part() {
      return try Output.write(part(snapshot.items, 0) + end(count: snapshot.items.count))
    }
    switch format {
    case .json, .ndjson: try Output.write(Self.lines(snapshot.items) { $0.content.bytes })
    case .csv: try Output.write(CellDocument.encode(snapshot, separator: UInt8(ascii: ",")))
    case .tsv: try Output.write(CellDocument.encode(snapshot, separator: UInt8(ascii: "\t")))
    }
  }
}

extension ListRevision {
  /// - Throws: `ValidationError`, which says whether the name or the version is at fault.
  init(argument text: String) throws {
    if let target = ListRevision(text) {
      self = target
      return
    }
    let words = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    _ = try ListName(argument: words[0])
    throw ValidationError("write the version as \(Revision.forms).")
  }
}
