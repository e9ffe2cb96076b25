/// The changes of one item in a slice.
struct PackedItem {
  let item: Int64
  var id: [UInt8]?
  /// The changes of the item, newest first.
  var touches: [ContentsBlockWriter.Touch]
}

/// The items of a slice, ascending, with all their texts.
///
/// Memory: a block of the front and one of the back, and the texts of an item.
struct SliceItems {
  private let slice: Slice
  private let read: (Slice.Place) throws -> UnfoldedBlock
  private var (front, back): (BlockEntries, BlockEntries)

  /// - Parameter read: returns a block.
  init(of slice: Slice, read: @escaping (Slice.Place) throws -> UnfoldedBlock) {
    (self.slice, self.read) = (slice, read)
    front = BlockEntries(slice.front, stepCount: slice.starts.count)
    back = BlockEntries(slice.back, stepCount: slice.starts.count)
  }

  /// Returns the next item; nil at the end.
  ///
  /// - Throws: `StoreError.corrupt` if a block is damaged; errors of the closure that reads blocks.
  mutating func next() throws -> PackedItem? {
    do {
      return try nextItem()
    } catch is ByteReader.Malformed {
      throw StoreError.corrupt(reason: "a block of a list is damaged")
    }
  }

  private mutating func nextItem() throws -> PackedItem? {
    let (first, second) = (try front.current(read), try back.current(read))
    guard let item = [first?.item, second?.item].compactMap(\.self).min() else { return nil }
    var found = PackedItem(item: item, id: nil, touches: [])
    var base: [UInt8] = []
    if first?.item == item {
      try front.take(into: &found, base: [])
      base = found.touches.first?.text ?? []
    }
    while try back.current(read)?.item == item { try back.take(into: &found, base: base) }
    // The text in the front may not be the newest.
    found.touches.sort { ($0.step ?? -1) > ($1.step ?? -1) }
    return found
  }
}

/// The entries of some blocks, one after the other.
private struct BlockEntries {
  private var places: ArraySlice<Slice.Place>
  private let stepCount: Int
  private var block: ContentsBlock?
  private var position = 0

  init(_ places: [Slice.Place], stepCount: Int) {
    (self.places, self.stepCount) = (places[...], stepCount)
  }

  /// Returns the current entry; nil at the end.
  mutating func current(
    _ read: (Slice.Place) throws -> UnfoldedBlock
  ) throws -> ContentsBlock.Entry? {
    while true {
      if let block, position < block.entries.count { return block.entries[position] }
      guard let place = places.popFirst() else { return nil }
      (block, position) = (try ContentsBlock(read(place), stepCount: stepCount), 0)
    }
  }

  /// Adds the current entry to an item, and continues with the next entry.
  ///
  /// - Precondition: There is a current entry.
  mutating func take(into item: inout PackedItem, base: [UInt8]) throws {
    guard let block else { preconditionFailure("there is an entry") }
    let entry = block.entries[position]
    position += 1
    if let id = try block.id(of: entry) { item.id = id }
    var texts = try block.texts(of: entry, base: base) { _ in true }[...]
    for touch in block.touches[entry.touches] {
      item.touches.append((touch.step, touch.text == nil ? nil : texts.popFirst()?.text))
    }
  }
}
