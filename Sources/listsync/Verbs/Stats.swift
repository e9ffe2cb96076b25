import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Terminal

struct Stats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what the bytes of the store are for, and how much it holds.",
    discussion: """
      EXAMPLE
        listsync stats
        listsync stats parks --json
      """)

  @Argument(help: "A list, to show its part alone.") var list: String?
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try list.map { try ListName(argument: $0) }
    let size = try await store.service().size(of: name)
    try json ? Output.write(Self.document(size, of: name)) : show(size, of: name)
  }

  private func show(_ size: StoreSize, of name: ListName?) throws {
    let counts = [
      name == nil ? Wording.count(size.listCount, "list") : nil,
      Wording.count(size.versionCount, "version"), Wording.count(size.changeCount, "change"),
      Wording.count(size.checkpointCount, "checkpoint"),
    ].compactMap { $0 }.joined(separator: ", ")
    let what = name?.text ?? Output.printable(store.path)
    try Output.line("\(what): \(counts); \(Wording.bytes(size.byteCount))")
    let parts = StoreSize.Part.allCases.filter { size.byteCounts[$0] != nil }
    let width = parts.map(\.wording.count).max() ?? 0
    for part in parts {
      let count = size.byteCounts[part] ?? 0
      let share = size.byteCount == 0 ? 0 : (count * 100 + size.byteCount / 2) / size.byteCount
      try Output.line(
        """
          \(part.wording.padding(to: width))  \(Wording.bytes(count).leftPadding(to: 9)) \
        \("\(share)".leftPadding(to: 4)) %
        """)
    }
    if size.isEstimate {
      Output.note("bytes are an estimate, by the lengths of what is stored")
    }
  }

  private static func document(_ size: StoreSize, of name: ListName?) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      if let name { writer.member("list", name.text) }
      writer.member("lists", size.listCount)
      writer.member("versions", size.versionCount)
      writer.member("changes", size.changeCount)
      writer.member("checkpoints", size.checkpointCount)
      writer.member("kept_changes", size.keptChangesCount)
      writer.member("estimate", size.isEstimate)
      writer.member(
        "bytes",
        object: { writer in
          for part in StoreSize.Part.allCases {
            if let count = size.byteCounts[part] { writer.member(part.name, count) }
          }
          writer.member("total", size.byteCount)
        })
    }
    return writer.bytes + "\n".utf8
  }
}

extension StoreSize.Part {
  fileprivate var wording: String {
    switch self {
    case .changes: "change rows"
    case .idIndex: "ids index"
    case .itemIndex: "item index"
    case .versions: "versions"
    case .headOrder: "head order"
    case .checkpoints: "checkpoints"
    case .keptChanges: "kept changes"
    case .other: "other"
    case .free: "free pages"
    case .writeAheadLog: "write-ahead log"
    }
  }

  /// In JSON.
  fileprivate var name: String {
    switch self {
    case .changes: "changes"
    case .idIndex: "id_index"
    case .itemIndex: "item_index"
    case .versions: "versions"
    case .headOrder: "head_order"
    case .checkpoints: "checkpoints"
    case .keptChanges: "kept_changes"
    case .other: "other"
    case .free: "free"
    case .writeAheadLog: "write_ahead_log"
    }
  }
}

extension Wording {
  /// Bytes in decimal units, three digits or so: `812 B`, `4.1 kB`, `98.5 MB`.
  static func bytes(_ count: Int) -> String {
    if count < 1000 { return "\(count) B" }
    var (tenths, units) = ((count + 50) / 100, ["kB", "MB", "GB", "TB"][...])
    while tenths >= 10_000, units.count > 1 {
      (tenths, units) = ((tenths + 500) / 1000, units.dropFirst())
    }
    return "\(tenths / 10).\(tenths % 10) \(units.first ?? "")"
  }
}
