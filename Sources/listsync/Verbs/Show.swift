import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
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
  @Flag(name: .customLong("ids"), help: "Print only the ids, one a line.") var showsIDs = false
  @OptionGroup var item: ItemOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var pager: PagerOptions

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
  }

  func run() async throws {
    try await pager.page {
      let snapshot = try await snapshot()
      guard let written = item.id else { return try write(snapshot) }
      let items = written.spellings.lazy.compactMap { id in
        snapshot.items.first { $0.id == id }
      }
      guard let item = items.first else {
        throw VerbError.absentItem(written.spellings[0], in: target?.list.text ?? replicas.paths[0])
      }
      try write(try Snapshot([item]))
    }
  }

  private func snapshot() async throws -> Snapshot {
    if let snapshot = try await replicas.snapshot() { return snapshot }
    guard let target else { preconditionFailure("validated") }
    return try await ProgressLine.timing("reading \(target.list)") {
      try await store.service().snapshot(of: target.list, at: target.revision).snapshot
    }
  }

  private func write(_ snapshot: Snapshot) throws {
    if showsIDs {
      for item in snapshot.items { try Output.line(Output.printable(item.id.text)) }
      return
    }
    switch format {
    case .json where item.id == nil: try Output.write(SnapshotDocument.encode(snapshot))
    case .json, .ndjson:
      try Output.write(snapshot.items.flatMap { $0.content.bytes + "\n".utf8 })
    case .csv: try Output.write(CellDocument.encode(snapshot, separator: UInt8(ascii: ",")))
    case .tsv: try Output.write(CellDocument.encode(snapshot, separator: UInt8(ascii: "\t")))
    }
  }
}

extension ListRevision {
  /// - Throws: `ValidationError`, which tells what is wrong.
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
