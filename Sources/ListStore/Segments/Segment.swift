import ListChanges

/// The changes of consecutive versions: the texts that they wrote, by item, and the changes
/// without their texts, by version. The log of a list is a row of segments without gaps.
///
/// The *current* texts of a segment are the newest ones that it has of each item. All *older* ones
/// are differences. So the newest texts are read without the history.
///
/// A short segment has its blocks in its own row; the blocks of a longer one are rows of `blocks`.
struct Segment: Equatable, Sendable {
  /// A block, and the first item or change in it.
  struct Place: Equatable, Sendable {
    let first: Int64
    /// The number of the block; negative for one in the segment's own row.
    let block: Int64
  }

  /// The changes that are in the segment.
  let changes: Range<Int64>
  let stepCount: Int
  /// The number of the first change whose row the segment has. Pruning has left only the texts of
  /// earlier changes.
  let firstStep: Int64
  /// The blocks of the first changes of the steps (``StartsBlock``). Before ``firstStep``, these
  /// are any changes that separate the changes of one item from each other.
  let starts: [Place]
  let current: [Place]
  let older: [Place]
  let steps: [Place]
  /// The blocks in the segment's own row, in the order of the places; nil if they are rows of
  /// `blocks`.
  let inlineBlocks: [[UInt8]]?
  /// The number of bytes of all blocks before they are deflated.
  let byteCount: Int
  /// The number of bytes that the blocks in the segment's own row unfold to with their texts (see
  /// ``UnfoldedBlock``); the number of bytes of the others.
  let unfoldedByteCount: Int

  private var places: [[Place]] { [starts, current, older, steps] }

  /// The numbers of its rows of `blocks`.
  var blocks: [Int64] { inlineBlocks == nil ? places.flatMap { $0.map(\.block) } : [] }

  /// Returns a block of the segment's own row; nil for a row of `blocks`.
  func inlineBlock(_ number: Int64) -> UnfoldedBlock? {
    guard let inlineBlocks, number < 0 else { return nil }
    let bytes = inlineBlocks[Int(-number - 1) & (Self.inlineCount - 1)]
    return UnfoldedBlock(bytes, textByteLimit: unfoldedByteCount - byteCount)
  }

  /// More than the number of blocks in a segment's own row; a power of two.
  private static let inlineCount = 1 << 8

  /// Returns the number of a block in the row of a segment. No other segment of the list has it.
  static func inlineNumber(_ position: Int, first: Int64) -> Int64 {
    -(first * Int64(inlineCount) + Int64(position) + 1)
  }
}

extension [Segment.Place] {
  /// Returns the positions of the places that may hold an item or a change: the last place that
  /// begins before it, and all that begin with it.
  func holding(_ number: Int64) -> Range<Int> {
    let start = Swift.max(partitioningIndex { $0.first >= number } - 1, 0)
    return start..<Swift.max(start, partitioningIndex { $0.first > number })
  }
}

/// The data of a row of `segments`: see ``PackedData``.
///
///     segment = %x00 first count places places places places bytes
///             / %x01 first count places places places places *block
///     first   = number                  ; `firstStep`, from the first change
///     count   = number                  ; `stepCount`
///     places  = number *( gap place )   ; of the starts, current texts, older texts and steps
///     gap     = number                  ; from the first item or change of the place before
///     place   = signed                  ; after %x00: its number, from that of the block before
///             / number                  ; after %x01: the length of the block
///     bytes   = number                  ; the length of all blocks before they are deflated
extension Segment {
  /// The largest number of bytes of all rows of a list before they are deflated.
  static let byteLimit = 1 << 24

  /// - Parameters:
  ///   - data: the data of a row.
  ///   - changes: the range that the row has.
  ///   - unfoldedByteCount: the number that the row has.
  ///   - limit: the largest number of bytes before they were deflated; the row's are subtracted.
  init(
    _ data: [UInt8], of changes: Range<Int64>, unfoldedByteCount: Int, limit: inout Int
  ) throws(ByteReader.Malformed) {
    let bytes = try PackedData.unpack(data, upTo: limit)
    limit -= bytes.count
    var reader = ByteReader(bytes)
    let isInline = try reader.count(upTo: 1) == 1
    func number(upTo last: Int64) throws(ByteReader.Malformed) -> Int64 {
      Int64(try reader.count(upTo: Int(last)))
    }
    let length = changes.upperBound - changes.lowerBound
    firstStep = changes.lowerBound + (try number(upTo: length))
    stepCount = Int(try number(upTo: length))
    var (block, lengths): (Int64, [Int]) = (0, [])
    func places(upTo last: Int64) throws(ByteReader.Malformed) -> [Place] {
      var places: [Place] = []
      for _ in 0..<(try reader.count(upTo: isInline ? Self.inlineCount : bytes.count)) {
        let before = places.last?.first ?? 0
        let first = before + (try number(upTo: last - before))
        if isInline {
          guard lengths.count < Self.inlineCount else { throw ByteReader.Malformed() }
          block = Self.inlineNumber(lengths.count, first: changes.lowerBound)
          lengths.append(try reader.count(upTo: bytes.count))
        } else {
          block = try reader.number(from: block, in: 1...Int64.max)
          guard block > places.last?.block ?? 0 else { throw ByteReader.Malformed() }
        }
        places.append(Place(first: first, block: block))
      }
      return places
    }
    starts = try places(upTo: changes.upperBound)
    current = try places(upTo: changes.upperBound)
    older = try places(upTo: changes.upperBound)
    steps = try places(upTo: changes.upperBound)
    var found: [[UInt8]] = []
    for length in lengths { found.append(Array(try reader.bytes(length))) }
    inlineBlocks = isInline ? found : nil
    byteCount = isInline ? lengths.reduce(0, +) : try reader.count(upTo: .max)
    self.changes = changes
    self.unfoldedByteCount = unfoldedByteCount
    let count = (stepCount + StartsBlock.stepCount - 1) / StartsBlock.stepCount
    guard reader.isAtEnd, starts.count == count, starts.allSatisfy({ changes.contains($0.first) }),
      zip(starts, starts.dropFirst()).allSatisfy({ $0.first < $1.first }),
      byteCount <= unfoldedByteCount
    else { throw ByteReader.Malformed() }
  }

  var data: [UInt8] {
    var writer = ByteWriter()
    writer.write(count: inlineBlocks == nil ? 0 : 1)
    writer.write(count: Int(firstStep - changes.lowerBound))
    writer.write(count: stepCount)
    var block: Int64 = 0
    var rest = (inlineBlocks ?? [])[...]
    for places in places {
      writer.write(count: places.count)
      for (before, place) in zip([0] + places.map(\.first), places) {
        writer.write(count: Int(place.first - before))
        if inlineBlocks != nil {
          writer.write(count: rest.popFirst()?.count ?? 0)
        } else {
          writer.write(signed: place.block &- block)
        }
        block = place.block
      }
    }
    if let inlineBlocks {
      for block in inlineBlocks { writer.write(block) }
    } else {
      writer.write(count: byteCount)
    }
    return PackedData.pack(writer.bytes)
  }
}
