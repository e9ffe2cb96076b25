import ListModel

/// A part of a list that its reader will need. An engine across a network reads it in the same
/// round trip as the row of the list.
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
  fileprivate static let (versionCount, idCount) = (256, 64)

  func queries(of list: ListKey) -> [RowQuery] {
    switch self {
    case .head: [.range(ListReader.parts(of: list))]
    case .versions(let versions): Self.queries(for: versions, of: list)
    case .ids(let ids):
      ids.count <= Self.idCount
        ? Set(ids.map(IDEntry.hash)).map { .range(ListReader.idPart(holding: $0, of: list)) } : []
    case .texts: [.range(ListReader.segments(of: list))]
    }
  }

  private static func queries(for versions: ClosedRange<Version>, of list: ListKey) -> [RowQuery] {
    guard versions.lowerBound < .highest else { return [] }
    let first = versions.lowerBound.number
    let last = min(versions.upperBound.number, first + versionCount)
    let rows = RowRange(
      of: .versions, in: list, from: Int64(max(1, first - 1)), through: Int64(last + 1))
    return [.range(rows)] + (first < last ? [.range(ListReader.segments(of: list))] : [])
  }
}

extension ListReader {
  /// Reads ahead the entry of a name, and the row and parts of the list that it probably leads to;
  /// without such a list, the retired list of the name.
  func readAhead(_ name: ListName, _ list: ListKey?, for queries: [ListQuery]) throws {
    let entry = RowQuery.range(Self.entry(of: name))
    guard let list else { return try readAhead([entry, .range(Self.retiredList(name))]) }
    try readAhead(
      [
        entry, .rows(.lists, [RowKey(list)]),
        // The head, and the version before it, whose chain the head's header needs.
        .range(RowRange(of: .versions, in: list).descending(limit: 2)),
        .range(Self.newestCheckpoint(of: list)),
      ] + queries.flatMap { $0.queries(of: list) })
  }

  /// Reads the rows that are needed of the versions from one to another: all of them if they are
  /// few, else those at both ends. Does nothing in an engine that has read them ahead.
  func readVersions(_ range: ClosedRange<Version>, of list: ListKey) throws {
    let head = Int64(try row(of: list).head.number)
    let low = max(1, Int64(range.lowerBound.number) - 1)
    let high = min(Int64(range.upperBound.number), head) + 1
    guard engine.listKeys == nil, low <= high else { return }
    if high - low <= ListQuery.versionCount {
      _ = try versionRows(low...high, of: list)
      return
    }
    let numbers = Array(low...low + 2) + Array(high - 2...high)
    let found = try rows(of: .versions, numbers.map { RowKey(list, $0) }, read: VersionRow.init)
    for (number, row) in zip(numbers, found) {
      opened(list).versions.updateValue(row, forKey: number)
    }
  }
}
