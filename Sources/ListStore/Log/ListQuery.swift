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
  /// Ids and contents.
  case texts

  /// The largest numbers of versions and ids that are read ahead.
  private static let (versionCount, idCount) = (256, 64)

  func queries(of list: ListKey) -> [Query] {
    switch self {
    case .head: [.range(ListReader.parts(of: list))]
    case .versions(let versions): Self.queries(for: versions, of: list)
    case .ids(let ids):
      ids.count <= Self.idCount
        ? Set(ids.map(IDEntry.hash)).map { .range(ListReader.idPart(holding: $0, of: list)) } : []
    case .texts: [.range(ListReader.segments(of: list))]
    }
  }

  private static func queries(for versions: ClosedRange<Version>, of list: ListKey) -> [Query] {
    guard versions.lowerBound < .highest else { return [] }
    let first = versions.lowerBound.number
    let last = min(versions.upperBound.number, first + versionCount)
    let rows = RowRange(
      of: .versions, in: list, from: Int64(max(1, first - 1)), through: Int64(last + 1))
    return [.range(rows)] + (first < last ? [.range(ListReader.segments(of: list))] : [])
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
