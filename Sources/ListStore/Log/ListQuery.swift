import ListModel

/// A reading of a list that is announced, so that an engine across a network can make it in the
/// same round trip as others.
public enum ListQuery: Sendable {
  /// The order of the head.
  case head
  /// The records of versions, and the steps from the first of them to the last, with their texts.
  case versions(ClosedRange<Version>)
  /// The keys of the items with some ids.
  case ids([ItemID])
  /// The ids and contents of keys. `items` have both.
  case texts(items: [StoredItem], ids: [ItemKey] = [], contents: [ContentKey] = [])
  /// The keys of contents that items may have had.
  case contentKeys([(item: ItemKey, content: Content)])

  /// The largest numbers of versions, ids and texts that are read ahead.
  private static let (versionCount, idCount, textCount) = (256, 64, 4096)

  func queries(of list: ListKey) -> [Query] {
    switch self {
    case .head: [.range(ListReader.parts(of: list))]
    case .versions(let versions): Self.queries(for: versions, of: list)
    case .ids(let ids):
      ids.count <= Self.idCount
        ? Set(ids.map(IDEntry.hash)).map { .range(ListReader.idPart(holding: $0, of: list)) } : []
    case .texts(let items, let ids, let contents):
      items.count + ids.count + contents.count <= Self.textCount
        ? [
          .rows(
            .changes,
            items.flatMap { [RowKey($0.id), RowKey($0.content)] } + ids.map { RowKey($0) }
              + contents.map { RowKey($0) })
        ] : []
    case .contentKeys(let contents):
      contents.isEmpty ? [] : [ListReader.contentQuery(of: contents, in: list)]
    }
  }

  private static func queries(for versions: ClosedRange<Version>, of list: ListKey) -> [Query] {
    guard versions.lowerBound < .highest else { return [] }
    let first = versions.lowerBound.number
    let last = min(versions.upperBound.number, first + versionCount)
    let rows = RowRange(
      of: .versions, in: list, from: Int64(max(1, first - 1)), through: Int64(last + 1))
    guard first < last else { return [.range(rows)] }
    return [.range(rows), .steps(list: list.rawValue, Int64(first + 1)...Int64(last))]
  }
}

extension ListReader {
  /// Announces the readings of a list.
  public func prepare(_ queries: [ListQuery], of list: ListKey) throws {
    try engine.prepare(queries.flatMap { $0.queries(of: list) })
  }

  /// Announces that a list will be looked up, and the readings of it that will follow.
  func prepare(_ name: ListName, _ list: ListKey, for queries: [ListQuery]) throws {
    try engine.prepare(
      [
        .range(Self.entry(of: name)), .rows(.lists, [RowKey(list)]),
        // The head, and the version before it, whose chain the head's header needs.
        .range(RowRange(of: .versions, in: list).descending(limit: 2)),
        .range(Self.newestCheckpoint(of: list)),
      ] + queries.flatMap { $0.queries(of: list) })
  }
}
