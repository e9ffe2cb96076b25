import ListModel

/// The items of a file, with their places in it.
struct KnownItems: Sendable {
  let bytes: [UInt8]
  /// The bytes before the items that determine how to read them: the header of a table.
  var start: [UInt8] = []
  var items: [ReadItem] = []
  /// The end of each item, by index.
  var ends: [Int] = []
}

/// Finds the items of a file in an earlier version of it, and so avoids reading items with the same
/// bytes again.
///
/// An item is expected after the one found last. An edited, inserted or moved item, and the first
/// one after a gap, is read; its id determines the next expected item. The id is usually near;
/// after repeated failures, an index of all ids is made.
final class ItemRecaller {
  private var known: KnownItems
  /// The index of the known item that should come next.
  private var expected = 0
  /// The number of known items among which an id is near.
  private static let nearCount = 32
  /// The number of ids that were not near before all are indexed.
  private static let strayLimit = 16

  private var strayCount = 0
  private lazy var indexes = Dictionary(
    known.items.indices.compactMap { index in known.items[index].id.map { ($0, index) } },
    uniquingKeysWith: { first, _ in first })

  /// The items of the new file so far.
  private(set) var read: KnownItems
  /// The number of items that were not read again.
  private(set) var recalledCount = 0

  init(_ bytes: [UInt8], known: KnownItems) {
    self.known = known
    read = KnownItems(bytes: bytes)
  }

  /// Records the bytes before the items, and returns whether they are the same as before.
  func begins(with start: ArraySlice<UInt8>) -> Bool {
    read.start = Array(start)
    return known.start.elementsEqual(start)
  }

  /// Forgets the known items.
  func forget() { known = KnownItems(bytes: []) }

  /// The expected item and its end, if it starts at an index; else nil.
  ///
  /// - Parameter isEnd: whether an item may end at an index.
  func item(at start: Int, endingWhere isEnd: (Int) -> Bool) -> (item: ReadItem, end: Int)? {
    guard expected < known.items.count else { return nil }
    let old = known.items[expected]
    let end = start + known.ends[expected] - old.offset
    guard end <= read.bytes.count, isEnd(end),
      read.bytes.hasBytes(start..<end, equalTo: known.bytes, from: old.offset)
    else { return nil }
    expected += 1
    recalledCount += 1
    let item = ReadItem(recalled: old, at: start)
    read.items.append(item)
    read.ends.append(end)
    return (item, end)
  }

  /// Appends an item that was read.
  func append(_ item: ReadItem, end: Int) {
    read.items.append(item)
    read.ends.append(end)
    if let index = knownIndex(of: item) { expected = index + 1 }
  }

  private func knownIndex(of item: ReadItem) -> Int? {
    guard let id = item.id else { return nil }
    let near = known.items[min(expected, known.items.count)...].prefix(Self.nearCount)
    if let index = near.firstIndex(where: { $0.idHash == item.idHash && $0.id == id }) {
      return index
    }
    strayCount += 1
    return strayCount > Self.strayLimit ? indexes[id] : nil
  }
}
