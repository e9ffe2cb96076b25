/// A writer of texts. A text consists of pieces of another text, its *base*, and of *literals*:
/// bytes that the base lacks.
///
///     text   = length *( copy [ offset [ count ] ] )
///     length = signed   ; of the text, minus that of its base if the reader knows it
///     copy   = number   ; how many bytes of the base come next; 0: the rest are literals
///     offset = signed   ; where they begin, from the end of the copy before
///     count  = number   ; how many literals follow; absent at the end of the text
///
/// The literals of all texts follow each other.
struct TextDeltaWriter {
  private(set) var numbers = ByteWriter()
  private(set) var literals: [UInt8] = []
  private var finder = CopyFinder()

  /// Writes a text.
  ///
  /// - Parameter isBaseKnown: whether a reader knows the length of the base when it finds the text.
  /// - Complexity: O(n) for a text and a base of n bytes.
  mutating func write(_ text: [UInt8], base: [UInt8], isBaseKnown: Bool = true) {
    numbers.write(signed: Int64(text.count - (isBaseKnown ? base.count : 0)))
    let isLong = text.count > TextDelta.largestCount
    let copies = isLong ? [] : finder.copies(of: base, in: text)
    guard copies.first?.start == 0 else {
      if !text.isEmpty { numbers.write(count: 0) }
      literals += text
      return
    }
    var baseEnd = 0
    for (position, copy) in copies.enumerated() {
      numbers.write(count: copy.count)
      numbers.write(signed: Int64(copy.base - baseEnd))
      baseEnd = copy.base + copy.count
      let end = copy.start + copy.count
      let next = position + 1 < copies.count ? copies[position + 1].start : text.count
      if end < text.count { numbers.write(count: next - end) }
      literals += text[end..<next]
    }
  }

  /// Writes bytes that are not a text.
  mutating func write(bytes: some Sequence<UInt8>) { literals += bytes }
}

/// The place of a text among the literals and the numbers of a ``TextDeltaWriter``.
struct TextDelta {
  let count: Int
  /// The range of the numbers that describe its copies and literals.
  let numbers: Range<Int>
  let literals: Range<Int>

  /// Finds a text without building it.
  ///
  /// - Parameters:
  ///   - numbers: a reader of numbers, at the beginning of the text.
  ///   - literals: a reader of literals, at the first one of the text.
  ///   - baseCount: the length of its base; 0 if it is not known.
  init(
    _ numbers: inout ByteReader, _ literals: inout ByteReader, baseCount: Int
  ) throws(ByteReader.Malformed) {
    let count = try numbers.number(from: Int64(baseCount), in: 0...Int64.max)
    let (start, literalStart) = (numbers.index, literals.index)
    var rest = Int(count)
    while rest > 0 {
      let copy = try numbers.count(upTo: rest)
      if copy > 0 {
        guard count <= Self.largestCount else { throw ByteReader.Malformed() }
        _ = try numbers.signed()
        rest -= copy
        if rest == 0 { break }
      }
      let count = copy > 0 ? try numbers.count(upTo: rest) : rest
      _ = try literals.bytes(count)
      rest -= count
    }
    (self.count, self.numbers, self.literals) = (
      Int(count), start..<numbers.index, literalStart..<literals.index
    )
  }

  /// The length of the longest text that is made of copies. It bounds the memory that hostile bytes
  /// can use, since each of them can stand for a copy of a whole base.
  static let largestCount = ContentsBlock.textByteLimit

  /// Builds the text.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that contain the numbers and the literals.
  ///   - base: the base.
  /// - Throws: `Malformed` if copies are not in the base.
  func text(in bytes: [UInt8], base: [UInt8]) throws(ByteReader.Malformed) -> [UInt8] {
    if numbers.count == 1 && literals.count == count { return Array(bytes[literals]) }
    var text: [UInt8] = []
    text.reserveCapacity(min(count, Self.largestCount))
    var reader = ByteReader(bytes, in: numbers)
    var (baseEnd, next) = (0, literals.lowerBound)
    while text.count < count {
      let copy = try reader.count(upTo: count - text.count)
      if copy > 0 {
        guard copy <= base.count else { throw ByteReader.Malformed() }
        let from = try reader.number(from: Int64(baseEnd), in: 0...Int64(base.count - copy))
        baseEnd = Int(from) + copy
        text += base[Int(from)..<baseEnd]
        if text.count == count { break }
      }
      let literalCount =
        copy > 0 ? try reader.count(upTo: literals.upperBound - next) : count - text.count
      text += bytes[next..<next + literalCount]
      next += literalCount
    }
    return text
  }
}

/// A search for pieces of a text in another text.
private struct CopyFinder {
  struct Copy {
    /// The position of the bytes in the text, and in the base.
    var start, base: Int
    var count: Int
  }

  /// The length of the shortest copy between the common beginning and the common end.
  private static let leastCount = 8
  private static let tableBits = 12
  /// For each hash of bytes, their position in the base plus one; 0 if there is none.
  private var table: [Int32] = Array(repeating: 0, count: 1 << tableBits)

  /// Finds the copies, in the order of the text.
  mutating func copies(of base: [UInt8], in text: [UInt8]) -> [Copy] {
    if base.isEmpty || text.isEmpty { return [] }
    return base.withUnsafeBytes { base in text.withUnsafeBytes { copies(of: base, in: $0) } }
  }

  private mutating func copies(
    of base: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer
  ) -> [Copy] {
    let shorter = min(base.count, text.count)
    var start = 0
    while start < shorter, base[start] == text[start] { start += 1 }
    var ending = 0
    while ending < shorter - start, base[base.count - 1 - ending] == text[text.count - 1 - ending] {
      ending += 1
    }
    var copies = start > 0 ? [Copy(start: 0, base: 0, count: start)] : []
    let (baseMiddle, middle) = (start..<base.count - ending, start..<text.count - ending)
    if baseMiddle.count >= Self.leastCount, middle.count >= Self.leastCount {
      findCopies(of: base, baseMiddle, in: text, middle, &copies)
    }
    if ending > 0 {
      copies.append(
        Copy(start: text.count - ending, base: base.count - ending, count: ending))
    }
    return copies
  }

  private mutating func findCopies(
    of base: UnsafeRawBufferPointer, _ baseRange: Range<Int>, in text: UnsafeRawBufferPointer,
    _ range: Range<Int>, _ copies: inout [Copy]
  ) {
    func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
      bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    func slot(_ word: UInt64) -> Int {
      Int((word &* 0x9e37_79b1_85eb_ca87) >> (64 - UInt64(Self.tableBits)))
    }
    let lastBase = baseRange.upperBound - Self.leastCount
    // If bytes occur several times, the first position is kept, so go backwards.
    for position in stride(from: lastBase, through: baseRange.lowerBound, by: -1) {
      table[slot(word(base, position))] = Int32(truncatingIfNeeded: position + 1)
    }
    var (position, free) = (range.lowerBound, range.lowerBound)
    while position <= range.upperBound - Self.leastCount {
      let here = word(text, position)
      let found = Int(table[slot(here)]) - 1
      guard found >= baseRange.lowerBound, found <= lastBase, word(base, found) == here else {
        position += 1
        continue
      }
      var copy = Copy(start: position, base: found, count: Self.leastCount)
      while copy.start > free, copy.base > baseRange.lowerBound,
        text[copy.start - 1] == base[copy.base - 1]
      {
        (copy.start, copy.base, copy.count) = (copy.start - 1, copy.base - 1, copy.count + 1)
      }
      while copy.start + copy.count < range.upperBound,
        copy.base + copy.count < baseRange.upperBound,
        text[copy.start + copy.count] == base[copy.base + copy.count]
      {
        copy.count += 1
      }
      copies.append(copy)
      position = copy.start + copy.count
      free = position
    }
    for position in baseRange.lowerBound...lastBase { table[slot(word(base, position))] = 0 }
  }
}
