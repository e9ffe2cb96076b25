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
    transform: SameItem.init(argument:))
  var items: [SameItem] = []

  func validate() throws {
    let ids = items.map(\.old) + items.map(\.new)
    var seen: Set<ItemID> = []
    if let twice = ids.first(where: { !seen.insert($0).inserted }) {
      throw ValidationError("--same: the id '\(twice.text.shortened)' is named twice.")
    }
  }

  /// - Precondition: The request has its message.
  func complete(_ request: inout CommitRequest) {
    if !items.isEmpty { request.identify(items) }
  }
}

extension SameItem {
  /// - Throws: `ValidationError` for another text than two ids.
  fileprivate init(argument text: String) throws {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    if let same = SameItem(json: text) {
      self = same
    } else if parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty {
      self.init(old: ItemID(parts[0]), new: ItemID(parts[1]))
    } else {
      throw ValidationError("write the old and the new id as OLD=NEW, or as '[\"OLD\",\"NEW\"]'.")
    }
  }
}
