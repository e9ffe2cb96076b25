/// A source of the changes of a new step or of a segment, item by item. It gives the changes of
/// each item from the newest to the oldest.
protocol RevisionSource: Sendable {
  typealias ItemRevision = ContentsBlockWriter.ItemRevision

  /// Returns the item of the next change; nil at the end.
  mutating func item(_ reader: ListReader) throws -> Int64?

  /// Returns the id of this item, if one of the changes introduces it. Must be called before the
  /// first of them is taken.
  mutating func id(_ reader: ListReader) throws -> [UInt8]?

  /// Takes the next change.
  mutating func next(_ reader: ListReader) throws -> ItemRevision?
}

/// The changes in a segment, by item.
///
/// Memory: the blocks of current and of older texts from which some entries were taken, and the
/// texts of an entry.
struct SegmentRevisions: RevisionSource {
  /// The number that is added to the positions of steps.
  private let offset: Int
  private var (current, older): (BlockEntries, BlockEntries)
  private var item: Int64?
  /// Whether the current texts were searched for the item.
  private var isBegun = false
  private var currentRevision: ItemRevision?
  /// The item's current text.
  private var base: [UInt8] = []
  private var id: [UInt8]?
  /// The changes of an entry of older texts.
  private var revisions: ArraySlice<ItemRevision> = []

  init(of segment: Segment, in list: ListKey, offset: Int = 0) {
    self.offset = offset
    current = BlockEntries(segment.current, of: segment, in: list)
    older = BlockEntries(segment.older, of: segment, in: list)
  }

  mutating func item(_ reader: ListReader) -> Int64? {
    let isEnded = currentRevision == nil && revisions.isEmpty && older.item != item
    if item == nil || isBegun && isEnded {
      item = [older.item, current.item].compactMap(\.self).min()
      isBegun = false
    }
    return item
  }

  mutating func id(_ reader: ListReader) throws -> [UInt8]? {
    try begin(reader)
    return id
  }

  /// The current text may not be the newest.
  mutating func next(_ reader: ListReader) throws -> ItemRevision? {
    try begin(reader)
    if revisions.isEmpty, let item, older.item == item {
      revisions = try older.take(reader, base: base).revisions[...]
    }
    guard let first = currentRevision,
      first.step ?? -1 > revisions.first.map({ $0.step ?? -1 }) ?? -2
    else { return revisions.popFirst().map(moved) }
    currentRevision = nil
    return moved(first)
  }

  private func moved(_ revision: ItemRevision) -> ItemRevision {
    (revision.step.map { $0 + offset }, revision.text)
  }

  private mutating func begin(_ reader: ListReader) throws {
    guard let item = item(reader), !isBegun else { return }
    (isBegun, base, id) = (true, [], nil)
    if current.item == item {
      let entry = try current.take(reader, base: [])
      (currentRevision, id) = (entry.revisions.first, entry.id)
      base = currentRevision?.text ?? []
    }
  }
}

/// The entries of some blocks, one after the other. A block is read when its first entry is taken.
private struct BlockEntries {
  private let list: ListKey
  private let segment: Segment
  private var places: ArraySlice<Segment.Place>
  /// The block of the current entry, if it was read.
  private var block: ContentsBlock?
  private var position = 0

  init(_ places: [Segment.Place], of segment: Segment, in list: ListKey) {
    (self.places, self.segment, self.list) = (places[...], segment, list)
  }

  /// The item of the current entry; nil at the end.
  var item: Int64? { block?.entries[position].item ?? places.first?.first }

  private mutating func read(_ reader: ListReader) throws -> ContentsBlock {
    if let block { return block }
    guard let place = places.popFirst() else { preconditionFailure("there is an entry") }
    try reader.blocks([place], of: segment, in: list) {
      _, unfolded throws(ByteReader.Malformed) in
      let found = try ContentsBlock(unfolded, stepCount: segment.stepCount)
      guard found.entries.first?.item == place.first else { throw ByteReader.Malformed() }
      (block, position) = (found, 0)
    }
    return try read(reader)
  }

  /// Returns the current entry, and continues with the next one.
  mutating func take(
    _ reader: ListReader, base: [UInt8]
  ) throws -> (id: [UInt8]?, revisions: [RevisionSource.ItemRevision]) {
    let block = try read(reader)
    let entry = block.entries[position]
    let id = try reader.reading("a block") { () throws(ByteReader.Malformed) in
      try block.id(of: entry)
    }
    position += 1
    if position == block.entries.count { self.block = nil }
    var texts: [[UInt8]] = []
    try reader.reading("a block") { () throws(ByteReader.Malformed) in
      try block.texts(of: entry, base: base) { _ in
        true
      } _: {
        texts.append($1)
      }
    }
    var rest = texts[...]
    let revisions = block.revisions[entry.revisions].map { revision in
      (revision.step, revision.text == nil ? nil : rest.popFirst())
    }
    return (id, revisions)
  }
}
