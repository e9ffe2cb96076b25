import ListChanges

/// The first changes of consecutive steps of a segment.
///
///     block = *gap       ; of each step but the first: from the start before
///     gap   = number     ; as ByteWriter writes it
///
/// The first one is in the segment. So a transaction reads the starts that it needs, and no others.
enum StartsBlock {
  /// The number of steps of each block but the last.
  static let stepCount = 4096

  static func bytes(_ starts: ArraySlice<Int64>) -> [UInt8] {
    var writer = ByteWriter()
    for (before, start) in zip(starts, starts.dropFirst()) {
      writer.write(count: Int(start - before))
    }
    return writer.bytes
  }

  /// Reads a block.
  ///
  /// - Parameters:
  ///   - bytes: the block.
  ///   - position: its position among those of the segment.
  ///   - segment: the segment.
  static func starts(
    _ bytes: [UInt8], at position: Int, of segment: Segment
  ) throws(ByteReader.Malformed) -> [Int64] {
    let isLast = position == segment.starts.count - 1
    let end = isLast ? segment.changes.upperBound : segment.starts[position + 1].first
    let count = min(segment.stepCount - position * stepCount, stepCount)
    var reader = ByteReader(bytes)
    var starts = [segment.starts[position].first]
    while starts.count < count {
      let last = starts[starts.count - 1]
      let gap = Int64(try reader.count(upTo: Int(end - last)))
      guard gap > 0, last + gap < end else { throw ByteReader.Malformed() }
      starts.append(last + gap)
    }
    guard reader.isAtEnd else { throw ByteReader.Malformed() }
    return starts
  }
}

/// The steps of segments. A transaction keeps the starts that it read.
extension ListReader {
  /// Returns the positions of the steps that changes belong to, in the order of the changes.
  ///
  /// - Throws: `StoreError.corrupt` if one belongs to none.
  /// - Complexity: reads a block of starts for each change at most.
  func steps(of changes: [Int64], in segment: Segment, of list: ListKey) throws -> [Int] {
    let positions = try changes.map { change in
      let position = segment.starts.partitioningIndex { $0.first > change } - 1
      guard position >= 0, change < segment.changes.upperBound else {
        throw StoreError.corrupt(reason: "a change of a list has no step")
      }
      return position
    }
    let starts = try starts(at: Set(positions), of: segment, in: list)
    return zip(changes, positions).map { change, position in
      let step = starts[position]?.partitioningIndex { $0 > change } ?? 0
      return position * StartsBlock.stepCount + step - 1
    }
  }

  /// Returns the changes of a step.
  ///
  /// - Throws: `StoreError.corrupt` if there is no such step.
  func changes(of step: Int, in segment: Segment, of list: ListKey) throws -> Range<Int64> {
    let (position, offset) = step.quotientAndRemainder(dividingBy: StartsBlock.stepCount)
    guard (0..<segment.stepCount).contains(step),
      let starts = try starts(at: [position], of: segment, in: list)[position]
    else { throw StoreError.corrupt(reason: "a segment of a list is damaged") }
    let nextBlock = segment.starts.dropFirst(position + 1).first?.first
    let next = starts.dropFirst(offset + 1).first ?? nextBlock ?? segment.changes.upperBound
    return starts[offset]..<next
  }

  /// Returns the first changes of all steps of a segment, ascending.
  func starts(of segment: Segment, in list: ListKey) throws -> [Int64] {
    let starts = try starts(at: Set(segment.starts.indices), of: segment, in: list)
    return segment.starts.indices.flatMap { starts[$0] ?? [] }
  }

  private func starts(
    at positions: Set<Int>, of segment: Segment, in list: ListKey
  ) throws -> [Int: [Int64]] {
    let opened = opened(list)
    let missing = positions.filter { opened.starts[segment.starts[$0].first] == nil }.sorted()
    try blocks(missing.map { segment.starts[$0] }, of: segment, in: list) {
      number, block throws(ByteReader.Malformed) in
      let place = segment.starts[missing[number]]
      opened.starts[place.first] = try StartsBlock.starts(
        block.bytes, at: missing[number], of: segment)
    }
    return Dictionary(
      uniqueKeysWithValues: positions.map { ($0, opened.starts[segment.starts[$0].first] ?? []) })
  }
}
