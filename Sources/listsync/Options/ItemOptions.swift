import ArgumentParser
import ListDocuments
import ListModel
import SyncService

/// The item to which --item restricts a verb.
struct ItemOptions: ParsableArguments {
  @Option(
    name: .customLong("item"),
    help: ArgumentHelp(
      "Only this item. Repeat it for the fields of a compound id.", valueName: "id"))
  var fields: [String] = []

  /// Nil without --item.
  var id: WrittenID? {
    fields.isEmpty ? nil : WrittenID(fields.joined(separator: IDRule.separator))
  }
}

/// An id as a person writes it: `1e30` for an item whose id is the number with the canonical form
/// `1e+30`.
struct WrittenID {
  /// The written form first.
  let spellings: [ItemID]

  init(_ text: String) {
    let fields = text.split(separator: IDRule.separator, omittingEmptySubsequences: false)
    let canonical = fields.map { Self.canonicalNumber(String($0)) ?? String($0) }
      .joined(separator: IDRule.separator)
    let literal = ItemID(text)
    spellings = ItemID(canonical) == literal ? [literal] : [literal, ItemID(canonical)]
  }

  /// Nil when the text is not a JSON number.
  private static func canonicalNumber(_ text: String) -> String? {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first)
    else { return nil }
    return try? Content(json: text).description
  }

  /// The spelling that the list has or had; the written form when it has neither.
  func id(in list: ListName, _ service: SyncService) async throws -> ItemID {
    spellings.count == 1 ? spellings[0] : try await service.itemID(among: spellings, in: list)
  }
}
