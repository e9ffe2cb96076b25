import TestSupport

@testable import ListStore

/// The changes of a segment, as a writer gets them and a reader returns them.
struct SegmentSample: Equatable, Sendable {
  struct ItemRevision: Equatable, Sendable {
    let item: Int64
    let id: [UInt8]?
    let step: Int?
    let text: [UInt8]?
  }

  static let list = ListKey(rawValue: 1)

  var starts: [Int64] = []
  /// By item, the newest first. The id is that of the item.
  var revisions: [ItemRevision] = []
  var rows: [String] = []

  /// The number of bytes of all texts.
  var textByteCount: Int { revisions.reduce(0) { $0 + ($1.text?.count ?? 0) } }

  /// Makes changes, and a segment with them.
  ///
  /// - Parameter isLong: whether a text is too long for the segment's own row.
  static func random(
    stepCount: Int, isLong: Bool, _ random: inout SeededRandom
  ) throws -> (sample: SegmentSample, segment: Segment, blocks: [StoredBlock]) {
    let first = Int64(random.number(1...1000))
    let changes = first..<first + Int64(3 * stepCount)
    var sample = SegmentSample()
    let others = Set((1..<stepCount).map { _ in Int64.random(in: changes, using: &random) })
    sample.starts = others.union([first]).sorted()
    var writer = try SegmentWriter(of: changes, starts: sample.starts, firstStep: first)
    var item: Int64 = 0
    while true {
      item += Int64(random.number(1...max(2, Int(changes.upperBound) / 12)))
      if item >= changes.upperBound { break }
      let isNew = changes.contains(item)
      // A new item is changed by steps after its own.
      let steps = sample.starts.indices.filter { sample.starts[$0] > item || !isNew }
      var revisions = steps.reversed().filter { _ in random.chance(3) }.map { step in
        let text = "{\"id\":\"p\(item)\",\"n\":\(random.number(0...9))}"
        return (step: Int?.some(step), text: random.chance(3) ? nil : Array(text.utf8))
      }
      if isNew { revisions.append((nil, Array("{\"id\":\"p\(item)\"}".utf8))) }
      if isLong, sample.revisions.isEmpty { revisions = [(0, random.bytes(1 << 17))] }
      if revisions.isEmpty { continue }
      let id = isNew ? Array("p\(item)".utf8) : nil
      try writer.begin(item, id: id)
      for revision in revisions {
        try writer.add(revision)
        sample.revisions.append(
          ItemRevision(item: item, id: id, step: revision.step, text: revision.text))
      }
      writer.endItem()
    }
    for sequence in changes {
      let row = BlockTests.row(sequence, of: list, &random)
      try writer.add(row)
      sample.rows.append(String(describing: row))
    }
    return (sample, try writer.finish(), writer.takeFinished())
  }

  private init() {}

  /// Reads everything that a segment has.
  ///
  /// - Throws: `StoreError.corrupt` if a block of it is damaged.
  init(of segment: Segment, _ reader: ListReader) throws {
    // Another segment with blocks of the same numbers may have been read before.
    reader.forgetSegments(of: Self.list)
    starts = try reader.starts(of: segment, in: Self.list)
    var source = SegmentRevisions(of: segment, in: Self.list)
    while let item = source.item(reader) {
      let id = try source.id(reader)
      guard let revision = try source.next(reader) else { break }
      revisions.append(ItemRevision(item: item, id: id, step: revision.step, text: revision.text))
    }
    for place in segment.steps {
      rows += try reader.rows(in: place, of: segment, in: Self.list).map(String.init(describing:))
    }
  }
}

extension ListWriter {
  /// Replaces the blocks that a list has.
  func storeOnly(_ blocks: [StoredBlock], of list: ListKey) throws {
    try engineWriter.delete(RowRange(of: .blocks, in: list))
    try store(blocks, of: list)
  }
}
