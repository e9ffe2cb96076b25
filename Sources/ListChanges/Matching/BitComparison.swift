#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Compares whole elements by their bits; the only unsafe memory access of the algebra.
///
/// Most of two versions of a list has the same bits, and comparing bits in wide words costs a tenth
/// of calling `==`. Equal bits mean the same value (the same number, or references to the same
/// object), which is equal wherever `==` is reflexive; a value unequal to itself, such as a NaN,
/// counts as unchanged. Unequal bits mean nothing (padding, another copy of a text), so the caller
/// then calls `==`. Turning it off (`isOff`) changes no result; a test compares the two.
///
/// Safe: every load lies inside of the two compared ranges, and these inside of the buffers.
@usableFromInline
struct BitComparison<Element> {
  @usableFromInline let old: UnsafeBufferPointer<Element>
  @usableFromInline let new: UnsafeBufferPointer<Element>
  @usableFromInline let isOff: Bool

  @inlinable
  init(
    old: UnsafeBufferPointer<Element>, new: UnsafeBufferPointer<Element>, isOff: Bool
  ) {
    self.old = old
    self.new = new
    self.isOff = isOff || MemoryLayout<Element>.size == 0
  }

  /// The number of elements from two indexes on with equal bits, at most `limit`; may stop early.
  @inlinable
  func prefixCount(_ i: Int, _ j: Int, limit: Int) -> Int {
    if isOff || limit <= 0 { return 0 }
    precondition(i >= 0 && j >= 0 && i + limit <= old.count && j + limit <= new.count)
    guard let a = old.baseAddress, let b = new.baseAddress else { return 0 }
    let stride = MemoryLayout<Element>.stride
    // The padding behind the last element is left out.
    let byteCount = limit * stride - (stride - MemoryLayout<Element>.size)
    let equal = Self.equalByteCount(
      UnsafeRawPointer(a + i), UnsafeRawPointer(b + j), limit: byteCount)
    return equal == byteCount ? limit : equal / stride
  }

  /// The number of elements before two indexes with equal bits, at most `limit`; may stop early.
  @inlinable
  func suffixCount(_ i: Int, _ j: Int, limit: Int) -> Int {
    var count = 0
    var size = 1
    while count < limit {
      size = Swift.min(size, limit - count)
      let (a, b) = (i - count - size, j - count - size)
      guard prefixCount(a, b, limit: size) == size else {
        if size == 1 { return count }
        size = 1
        continue
      }
      count += size
      size *= 2
    }
    return count
  }

  /// The number of equal bytes from two addresses on, in words of 8 near a difference.
  @inlinable
  static func equalByteCount(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, limit: Int) -> Int {
    var offset = 0
    // One word first: at most mismatches a call does not pay.
    while offset + 64 <= limit, word(a, offset) == word(b, offset) {
      let size = Swift.min(4096, limit - offset)
      guard memcmp(a + offset, b + offset, size) == 0 else { break }
      offset += size
    }
    while offset + 8 <= limit {
      if word(a, offset) != word(b, offset) { return offset }
      offset += 8
    }
    while offset < limit,
      a.load(fromByteOffset: offset, as: UInt8.self)
        == b.load(fromByteOffset: offset, as: UInt8.self)
    {
      offset += 1
    }
    return offset
  }

  @inlinable
  static func word(_ address: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    address.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}

extension BitComparison where Element: Identifiable & Equatable {
  /// Whether two items have the same id.
  @inlinable
  func isSame(_ i: Int, _ j: Int) -> Bool { old[i].id == new[j].id }

  /// Whether two items have the same content.
  @inlinable
  func isEqual(_ i: Int, _ j: Int) -> Bool { old[i] == new[j] }
}

extension BitComparison {
  /// The bits of a value, mixed with a seed (multiply and fold, as in wyhash by Wang Yi).
  @inlinable
  static func hash(bitsOf value: some Any, seed: UInt64) -> UInt64 {
    withUnsafeBytes(of: value) { mix($0, seed: seed) }
  }

  @inlinable
  static func mix(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = fold(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    if offset < bytes.count {
      var tail: UInt64 = 0
      for index in offset..<bytes.count { tail = tail << 8 | UInt64(bytes[index]) }
      hash = fold(hash ^ tail)
    }
    return hash
  }

  @inlinable
  static func fold(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
