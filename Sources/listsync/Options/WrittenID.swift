import ListDocuments
import ListModel
import SyncService

/// An id as a person writes it. An item whose id is a number is known by its canonical form,
/// `1e+30`, and a person may write `1e30`.
struct WrittenID {
  /// The id as it was written first.
  let spellings: [ItemID]

  init(_ text: String) {
    let parts = text.split(separator: IDRule.separator, omittingEmptySubsequences: false)
    let canonical = parts.map { Self.canonicalNumber(String($0)) ?? String($0) }
      .joined(separator: IDRule.separator)
    let literal = ItemID(text)
    spellings = ItemID(canonical) == literal ? [literal] : [literal, ItemID(canonical)]
  }

  /// Nil for a text that is no number in JSON.
  private static func canonicalNumber(_ text: String) -> String? {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first)
    else { return nil }
    return try? Content(json: text).description
  }

  /// The id that the list knows; as it was written where it knows none.
  func id(in list: ListName, _ service: SyncService) async throws -> ItemID {
    spellings.count == 1 ? spellings[0] : try await service.itemID(among: spellings, in: list)
  }
}
