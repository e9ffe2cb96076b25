import StoreTestSupport
import TestSupport
import Testing

@testable import ListStore

@Suite struct SegmentTests {
  private let store = MemoryStore()

  private func read(_ segment: Segment) throws(ByteReader.Malformed) -> Segment {
    var limit = Segment.byteLimit
    return try Segment(
      segment.data, of: segment.changes, unfoldedByteCount: segment.unfoldedByteCount,
      limit: &limit)
  }

  @Test(arguments: [false, true]) func changesOfASegmentComeBack(isLong: Bool) async throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<40 {
      let (sample, written, blocks) = try SegmentSample.random(
        stepCount: random.number(1...60), isLong: isLong, &random)
      #expect((written.inlineBlocks == nil) == isLong && blocks.isEmpty != isLong)
      let segment = try read(written)
      #expect(segment.data == written.data)
      try await store.write { writer in
        try writer.storeOnly(blocks, of: SegmentSample.list)
        #expect(try SegmentSample(of: segment, writer) == sample, "round \(round)")
      }
    }
  }

  @Test func blocksOfOwnAreNumberedByTheFirstChange() throws {
    var random = SeededRandom.forThisRun()
    var numbers: Set<Int64> = []
    for _ in 0..<8 {
      let segment = try SegmentSample.random(stepCount: 9, isLong: false, &random).segment
      let places = segment.starts + segment.current + segment.older + segment.steps
      #expect(places.map(\.block).allSatisfy { $0 < 0 } && segment.blocks.isEmpty)
      #expect(places.count == segment.inlineBlocks?.count)
      for (place, block) in zip(places, segment.inlineBlocks ?? []) {
        #expect(segment.inlineBlock(place.block)?.bytes == block)
      }
      numbers.formUnion(
        places.map { $0.block + (segment.changes.lowerBound << 8) })
    }
    // Beside the first change, a number has only the position.
    #expect(numbers.count <= 4)
  }

  // MARK: Damage

  /// Reads a segment that a hostile program wrote.
  ///
  /// - Returns: what it has; nil if it is refused.
  private func outcome(
    _ data: [UInt8], like segment: Segment, unfolded: Int? = nil, _ reader: ListReader
  ) -> SegmentSample? {
    let unfolded = unfolded ?? segment.unfoldedByteCount
    do {
      var limit = Segment.byteLimit
      let hostile = try Segment(
        data, of: segment.changes, unfoldedByteCount: unfolded, limit: &limit)
      let found = try SegmentSample(of: hostile, reader)
      // The current and the older texts may each have that many.
      #expect(found.textByteCount / 2 <= unfolded)
      return found
    } catch is ByteReader.Malformed {
      return nil
    } catch StoreError.corrupt {
      return nil
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  private func with(
    _ segment: Segment, inlineBlocks: [[UInt8]]?, stepCount: Int? = nil,
    starts: [Segment.Place]? = nil,
    steps: [Segment.Place]? = nil
  ) -> Segment {
    Segment(
      changes: segment.changes, stepCount: stepCount ?? segment.stepCount,
      firstStep: segment.firstStep, starts: starts ?? segment.starts, current: segment.current,
      older: segment.older, steps: steps ?? segment.steps, inlineBlocks: inlineBlocks,
      byteCount: segment.byteCount,
      unfoldedByteCount: segment.unfoldedByteCount)
  }

  @Test func eachChangedBitOfASegmentIsRefusedOrHarmless() async throws {
    for isLong in [false, true] {
      var random = SeededRandom.forThisRun()
      let (sample, segment, blocks) = try SegmentSample.random(
        stepCount: 8, isLong: isLong, &random)
      let bytes = try PackedData.unpack(segment.data, upTo: .max)
      try await store.write { writer in
        try writer.storeOnly(blocks, of: SegmentSample.list)
        #expect(outcome(PackedData.pack(bytes), like: segment, writer) == sample)
        for bit in 0..<8 * bytes.count {
          var changed = bytes
          changed[bit / 8] ^= 1 << UInt8(bit % 8)
          _ = outcome(PackedData.pack(changed), like: segment, writer)
        }
        for count in bytes.indices {
          let short = PackedData.pack(Array(bytes[..<count]))
          #expect(outcome(short, like: segment, writer) == nil, "\(count) bytes")
        }
        #expect(outcome(PackedData.pack(bytes + [0]), like: segment, writer) == nil)
      }
    }
  }

  @Test func changedBitsOfBlocksAreRefusedOrHarmless() async throws {
    var random = SeededRandom.forThisRun()
    let (_, segment, blocks) = try SegmentSample.random(stepCount: 20, isLong: true, &random)
    for _ in 0..<600 {
      var damaged = blocks
      let position = random.number(0...blocks.count - 1)
      let block = blocks[position]
      var bytes = try PackedData.unpack(block.data, upTo: block.byteCount)
      if bytes.isEmpty { continue }
      // The first bytes have lengths and counts.
      let end = random.chance(2) ? bytes.count : min(bytes.count, 64)
      bytes[random.number(0...end - 1)] ^= 1 << UInt8(random.number(0...7))
      damaged[position] = StoredBlock(
        number: block.number, byteCount: block.byteCount, data: PackedData.pack(bytes))
      try await store.write { [damaged] writer in
        try writer.storeOnly(damaged, of: SegmentSample.list)
        _ = outcome(segment.data, like: segment, writer)
      }
    }
  }

  @Test func ownBlocksOfOtherLengthsAreRefused() async throws {
    var random = SeededRandom.forThisRun()
    let segment = try SegmentSample.random(stepCount: 20, isLong: false, &random).segment
    let own = try #require(segment.inlineBlocks)
    try await store.read { reader in
      for position in own.indices {
        var (longer, shorter, moved) = (own, own, own)
        longer[position].append(0)
        #expect(outcome(with(segment, inlineBlocks: longer).data, like: segment, reader) == nil)
        guard let last = shorter[position].popLast() else { continue }
        #expect(outcome(with(segment, inlineBlocks: shorter).data, like: segment, reader) == nil)
        // All bytes are there, but one of them in the block behind.
        guard position + 1 < own.count else { continue }
        moved[position].removeLast()
        moved[position + 1].insert(last, at: 0)
        #expect(outcome(with(segment, inlineBlocks: moved).data, like: segment, reader) == nil)
      }
      // One block less than there are places, and one more.
      for blocks in [Array(own.dropLast()), own + [[1]]] {
        #expect(outcome(with(segment, inlineBlocks: blocks).data, like: segment, reader) == nil)
      }
    }
  }

  @Test func aSegmentHasFewOwnBlocks() throws {
    var random = SeededRandom.forThisRun()
    let segment = try SegmentSample.random(stepCount: 3, isLong: false, &random).segment
    let place = Segment.Place(first: segment.changes.lowerBound, block: -1)
    for count in [257, 256] {
      let many = with(
        segment, inlineBlocks: Array(repeating: [], count: count + segment.starts.count + 2),
        steps: Array(repeating: place, count: count))
      #expect(throws: ByteReader.Malformed.self) { try read(many) }
    }
  }

  @Test func numberOfUnfoldedBytesIsALimit() async throws {
    var random = SeededRandom.forThisRun()
    let (sample, segment, _) = try SegmentSample.random(stepCount: 20, isLong: false, &random)
    let ownByteCount = try #require(segment.inlineBlocks).reduce(0) { $0 + $1.count }
    #expect(segment.unfoldedByteCount == ownByteCount + sample.textByteCount)
    try await store.read { reader in
      for unfolded in [Int.min, -1, 0, ownByteCount - 1, ownByteCount] {
        #expect(outcome(segment.data, like: segment, unfolded: unfolded, reader) == nil)
      }
      for unfolded in [segment.unfoldedByteCount + 1, 1 << 40, Int.max] {
        #expect(outcome(segment.data, like: segment, unfolded: unfolded, reader) == sample)
      }
    }
  }

  @Test func blocksAndStartsInAnotherOrderAreNoticed() async throws {
    var random = SeededRandom.forThisRun()
    let (sample, segment, _) = try SegmentSample.random(stepCount: 20, isLong: false, &random)
    let own = try #require(segment.inlineBlocks)
    let (first, end) = (segment.changes.lowerBound, segment.changes.upperBound)
    // The steps begin in two blocks, the second not after the first.
    for starts in [[first, first], [first, end], [first], [first, first + 1, first + 2]] {
      let places = starts.map { Segment.Place(first: $0, block: -1) }
      let wide = Segment(
        changes: first..<first + 10_000, stepCount: StartsBlock.stepCount + 1, firstStep: first,
        starts: places.map { $0.first == end ? .init(first: first + 10_000, block: -1) : $0 },
        current: [], older: [], steps: [], inlineBlocks: Array(repeating: [], count: places.count),
        byteCount: 0, unfoldedByteCount: 0)
      #expect(throws: ByteReader.Malformed.self) { try read(wide) }
    }
    try await store.read { reader in
      for one in own.indices {
        for other in own.indices where other > one {
          var blocks = own
          blocks.swapAt(one, other)
          let found = outcome(with(segment, inlineBlocks: blocks).data, like: segment, reader)
          #expect(found != sample)
        }
      }
    }
  }
}
