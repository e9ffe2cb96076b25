import ListModel
import ListStore

/// Turns keys into texts.
extension PostgresReader {
  func items(of stored: [StoredItem]) throws -> [Item] {
    let texts = try texts(of: stored.map(\.id.rawValue) + stored.map(\.content.rawValue))
    return try stored.map { stored in
      guard let id = texts[stored.id.rawValue]?.id else {
        throw Self.nothing("item", stored.id.sequence)
      }
      guard let content = texts[stored.content.rawValue]?.content else {
        throw Self.nothing("content", stored.content.sequence)
      }
      return Item(id: id, content: content)
    }
  }

  func ids(of keys: [ItemKey]) throws -> [ItemID] {
    let texts = try texts(of: keys.map(\.rawValue))
    return try keys.map { key in
      guard let id = texts[key.rawValue]?.id else { throw Self.nothing("item", key.sequence) }
      return id
    }
  }

  func contents(of keys: [ContentKey]) throws -> [Content] {
    let texts = try texts(of: keys.map(\.rawValue))
    return try keys.map { key in
      guard let content = texts[key.rawValue]?.content else {
        throw Self.nothing("content", key.sequence)
      }
      return content
    }
  }

  private static func nothing(_ what: String, _ number: Int64) -> StoreError {
    .corrupt(reason: "change \(number) names no \(what)")
  }

  /// How many texts are kept for later questions of the transaction.
  private static let keptTextCount = 4096

  struct Texts {
    let id: ItemID?
    let content: Content?

    init(_ row: SoundRow) {
      id = row.optionalText(8).map { ItemID($0) }
      content = row.optionalBytes(9).map { Content(canonicalBytes: $0) }
    }
  }

  /// Keeps the texts of a row that is read as part of a step, and notes the rows that it names:
  /// callers ask for their texts next.
  func keepTexts(_ row: SoundRow, _ change: ChangeRow, of list: ListKey) {
    guard texts.count + wantedTexts.count < Self.keptTextCount else { return }
    texts[list.base | change.sequence] = Texts(row)
    for column in 2...6 where column != 3 && column != 4 {
      if let number = row.optionalInteger(column) { wantedTexts.insert(list.base | number) }
    }
  }

  func willAsk(for items: [StoredItem], ids: [ItemKey], contents: [ContentKey]) {
    let numbers =
      items.flatMap { [$0.id.rawValue, $0.content.rawValue] } + ids.map(\.rawValue)
      + contents.map(\.rawValue)
    guard texts.count + wantedTexts.count + numbers.count < Self.keptTextCount else { return }
    wantedTexts.formUnion(numbers)
  }

  /// The texts of rows, by their numbers with the list in the high bits; one question for each
  /// list.
  private func texts(of numbers: [Int64]) throws -> [Int64: Texts] {
    let missing = Set(numbers).filter { texts[$0] == nil }
    if missing.isEmpty { return texts }
    let asked = missing.union(wantedTexts.filter { texts[$0] == nil })
    wantedTexts = []
    var found: [Int64: Texts] = [:]
    found.reserveCapacity(asked.count)
    for (list, numbers) in Dictionary(grouping: asked, by: { $0 >> 32 }) {
      let key = ListKey(rawValue: list)
      try changes(numbers.map { $0 & ListKey.largestSequence }, of: key) {
        found[key.base | $0.integer(1)] = Texts($0)
      }
    }
    found.merge(texts) { $1 }
    if found.count < Self.keptTextCount { texts = found }
    return found
  }
}
