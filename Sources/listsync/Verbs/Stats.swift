import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService

struct Stats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Shows how much the store holds, and how its bytes are used.",
    discussion: """
      EXAMPLE
        listsync stats
        listsync stats parks --json
      """)

  @Argument(
    help: "Show the share of one list alone.", completion: .lists,
    transform: ListName.init(argument:))
  var list: ListName?
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let size = try await store.service().size(of: list)
    try answer.isJSON ? write(size) : show(size)
  }

  private func show(_ size: StoreSize) throws {
    let counts = [
      list == nil ? Wording.count(size.listCount, "list") : nil,
      Wording.count(size.versionCount, "version"), Wording.count(size.changeCount, "change"),
      Wording.count(size.checkpointCount, "checkpoint"),
    ].compactMap { $0 }.joined(separator: ", ")
    let name = list?.text ?? Output.printable(store.path)
    try Output.line("\(name): \(counts); \(Wording.bytes(size.byteCount))")
    let rows = StoreSize.Part.allCases.compactMap { part in
      size.byteCounts[part].map { count in
        let share = size.byteCount == 0 ? 0 : (count * 100 + size.byteCount / 2) / size.byteCount
        return [part.names.text, Wording.bytes(count), "\(share) %"]
      }
    }
    try Table(rows: rows, paddedCount: 3, numbers: 1...2).write(indent: "  ")
    if size.isEstimate {
      Output.diagnostic("bytes are an estimate, by the lengths of the stored values")
    }
  }

  private func write(_ size: StoreSize) throws {
    try Output.object { writer in
      if let list { writer.member("list", list.text) }
      writer.member("lists", size.listCount)
      writer.member("versions", size.versionCount)
      writer.member("changes", size.changeCount)
      writer.member("checkpoints", size.checkpointCount)
      writer.member("kept_changes", size.keptChangesCount)
      writer.member("estimate", size.isEstimate)
      writer.object("bytes") { writer in
        for part in StoreSize.Part.allCases {
          if let count = size.byteCounts[part] { writer.member(part.names.member, count) }
        }
        writer.member("total", size.byteCount)
      }
    }
  }
}

extension StoreSize.Part {
  /// The names in text and in JSON.
  fileprivate var names: (text: String, member: String) {
    switch self {
    case .changes: ("changes", "changes")
    case .idIndex: ("ids index", "id_index")
    case .versions: ("versions", "versions")
    case .headOrder: ("head order", "head_order")
    case .checkpoints: ("checkpoints", "checkpoints")
    case .keptChanges: ("kept changes", "kept_changes")
    case .other: ("other", "other")
    case .free: ("free pages", "free")
    case .writeAheadLog: ("write-ahead log", "write_ahead_log")
    }
  }
}

extension Wording {
  /// Bytes in decimal units: `812 B`, `4.1 kB`, `98.5 MB`.
  static func bytes(_ count: Int) -> String {
    if count < 1000 { return "\(count) B" }
    var (tenths, units) = ((count + 50) / 100, ["kB", "MB", "GB", "TB"][...])
    while tenths >= 10_000, units.count > 1 {
      (tenths, units) = ((tenths + 500) / 1000, units.dropFirst())
    }
    return "\(tenths / 10).\(tenths % 10) \(units.first ?? "")"
  }
}
