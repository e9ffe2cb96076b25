import ListChanges

/// A part of a list's log in blocks: the texts that a range of changes wrote, by item, and the
/// changes without their texts, by version.
///
/// New versions are plain rows. Packing makes a slice from them, and joins it with earlier slices
/// that are not much longer. So a list has few slices, which follow each other, and the rows after
/// the last slice are plain.
///
/// The *front* of a slice holds the texts that its list had when the slice was made, one for each
/// item. The *back* holds all other texts, as differences. So the newest version is read without
/// the history.
struct Slice: Equatable, Sendable {
  /// A block, and the first item or change in it.
  struct Place: Equatable, Sendable {
    let first: Int64
    let block: Int64
  }

  /// The changes that are in the slice.
  let changes: Range<Int64>
  let stepCount: Int
  /// The number of the first change whose row the slice has. Pruning has left only the texts of
  /// earlier changes.
  let firstStep: Int64
  /// The blocks of the first changes of the steps (``StartsBlock``). A version may have several
  /// steps. Before ``firstStep``, these are any changes that separate the changes of one item from
  /// each other.
  let starts: [Place]
  let front: [Place]
  let back: [Place]
  let steps: [Place]
  /// The number of bytes of all blocks.
  let byteCount: Int

  var blocks: [Int64] { [starts, front, back, steps].flatMap { $0.map(\.block) } }
}

extension [Slice.Place] {
  /// Returns the positions of the places that may hold an item or a change: the last place that
  /// begins before it, and all that begin with it.
  func holding(_ number: Int64) -> Range<Int> {
    let start = Swift.max(partitioningIndex { $0.first >= number } - 1, 0)
    return start..<Swift.max(start, partitioningIndex { $0.first > number })
  }
}

/// The data of a row of `slices`: see ``PackedData``.
///
///     slice  = first count places places places places bytes
///     first  = number                   ; `firstStep`, from the first change
///     count  = number                   ; `stepCount`
///     places = number *( gap block )    ; of the starts, the front, the back and the steps
///     gap    = number                   ; from the first item or change of the place before
///     block  = signed                   ; its number, from that of the block before
///     bytes  = number                   ; the length of all blocks
extension Slice {
  /// The largest number of bytes before they are deflated.
  private static let byteLimit = 1 << 26

  init(_ data: [UInt8], of changes: Range<Int64>) throws(ByteReader.Malformed) {
    let bytes = try PackedData.unpack(data, upTo: Self.byteLimit)
    var reader = ByteReader(bytes)
    func number(upTo last: Int64) throws(ByteReader.Malformed) -> Int64 {
      Int64(try reader.count(upTo: Int(last)))
    }
    let length = changes.upperBound - changes.lowerBound
    firstStep = changes.lowerBound + (try number(upTo: length))
    stepCount = Int(try number(upTo: length))
    var block: Int64 = 0
    func places(upTo last: Int64) throws(ByteReader.Malformed) -> [Place] {
      var places: [Place] = []
      for _ in 0..<(try reader.count(upTo: bytes.count)) {
        let before = places.last?.first ?? 0
        let first = before + (try number(upTo: last - before))
        block = try reader.number(from: block, in: 1...Int64.max)
        places.append(Place(first: first, block: block))
      }
      return places
    }
    starts = try places(upTo: changes.upperBound)
    front = try places(upTo: changes.upperBound)
    back = try places(upTo: changes.upperBound)
    steps = try places(upTo: changes.upperBound)
    byteCount = try reader.count(upTo: .max)
    self.changes = changes
    let count = (stepCount + StartsBlock.stepCount - 1) / StartsBlock.stepCount
    guard reader.isAtEnd, starts.count == count, starts.allSatisfy({ changes.contains($0.first) }),
      zip(starts, starts.dropFirst()).allSatisfy({ $0.first < $1.first })
    else { throw ByteReader.Malformed() }
  }

  var data: [UInt8] {
    var writer = ByteWriter()
    writer.write(count: Int(firstStep - changes.lowerBound))
    writer.write(count: stepCount)
    var block: Int64 = 0
    for places in [starts, front, back, steps] {
      writer.write(count: places.count)
      for (before, place) in zip([0] + places.map(\.first), places) {
        writer.write(count: Int(place.first - before))
        writer.write(signed: place.block &- block)
        block = place.block
      }
    }
    writer.write(count: byteCount)
    return PackedData.pack(writer.bytes)
  }
}
