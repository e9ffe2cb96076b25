import ListModel

/// The items of a file that has been read, with their places in it.
struct KnownItems: Sendable {
  let bytes: [UInt8]
  /// What stands before the items and says how to read them: the header of a table.
  var start: [UInt8] = []
  var items: [ReadItem] = []
  /// Where the items end, by their indexes.
  var ends: [Int] = []
}

/// Finds the items of a file in an earlier version of it: one that stands in both with the same
/// bytes is taken over, at the cost of comparing them.
///
/// An item is looked for where it should be, behind the one found last; so an item that was edited,
/// inserted or moved, and the first one behind a gap, are read as if nothing was known. Its id then
/// tells where to go on: a little further on, as a rule; only where that fails again and again are
/// all ids looked up.
final class ItemRecaller {
  private var known: KnownItems
  /// The index of the known item that should come next.
  private var expected = 0
  /// How far on an id is looked for.
  private static let nearCount = 32
  /// After so many ids that were not near, all are looked up.
  private static let strayLimit = 16

  private var strayCount = 0
  private lazy var indexes = Dictionary(
    known.items.indices.compactMap { index in known.items[index].id.map { ($0, index) } },
    uniquingKeysWith: { first, _ in first })

  /// What was read of the new file so far.
  private(set) var read: KnownItems
  /// How many items were taken over.
  private(set) var recalledCount = 0

  init(_ bytes: [UInt8], known: KnownItems) {
    self.known = known
    read = KnownItems(bytes: bytes)
  }

  /// Notes what stands before the items, and tells whether it is what stood there before.
  func begins(with start: ArraySlice<UInt8>) -> Bool {
    read.start = Array(start)
    return known.start.elementsEqual(start)
  }

  /// Takes nothing over.
  func forget() { known = KnownItems(bytes: []) }

  /// The item that starts at an index, and where it ends; nil where it is not the one expected.
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
    append(item, end: end)
    return (item, end)
  }

  /// Notes an item that had to be read.
  func note(_ item: ReadItem, end: Int) {
    append(item, end: end)
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

  private func append(_ item: ReadItem, end: Int) {
    read.items.append(item)
    read.ends.append(end)
  }
}
