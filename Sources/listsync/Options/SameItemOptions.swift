import ArgumentParser
import ListModel
import SyncService

/// The items that got other ids.
struct SameItemOptions: ParsableArguments {
  @Option(
    name: .customLong("same"),
    help: ArgumentHelp(
      """
      An item got another id, and its history goes on. Repeat it for more items; ids with '=' are \
      written as '["OLD","NEW"]'.
      """, valueName: "OLD=NEW"),
    transform: { text in
      guard let same = SameItem(argument: text) else { throw ValidationError(SameItemOptions.form) }
      return same
    })
  var items: [SameItem] = []
  @Option(
    name: .customLong("same-from"),
    help: ArgumentHelp("A file with a pair of ids in each line, as --same has.", valueName: "file"))
  var file: String?

  private static let form = "write the old and the new id as OLD=NEW, or as '[\"OLD\",\"NEW\"]'."

  /// All pairs, with those of the file.
  ///
  /// - Throws: `ValidationError` for a line without two ids, and an id that is named twice;
  ///   `VerbError` for a file that cannot be read.
  func all() throws -> [SameItem] {
    let all = items + (try fromFile())
    var seen: Set<ItemID> = []
    if let twice = all.flatMap({ [$0.old, $0.new] }).first(where: { !seen.insert($0).inserted }) {
      throw ValidationError("--same: the id '\(twice.text.shortened)' is named twice.")
    }
    return all
  }

  private func fromFile() throws -> [SameItem] {
    guard let file else { return [] }
    let bytes = try InputFile.bytes(of: file, limits: Settings.limits())
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return try zip(1..., lines).compactMap { number, line in
      if line.isEmpty { return nil }
      guard let same = SameItem(argument: String(line)) else {
        throw ValidationError("\(file):\(number): \(Self.form)")
      }
      return same
    }
  }
}

extension SameItem {
  /// Nil for another text than two ids.
  fileprivate init?(argument text: String) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    if let same = SameItem(json: text) {
      self = same
    } else if parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty {
      self.init(old: ItemID(parts[0]), new: ItemID(parts[1]))
    } else {
      return nil
    }
  }
}
