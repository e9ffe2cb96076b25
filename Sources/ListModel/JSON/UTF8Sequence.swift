/// The multi-byte sequences of UTF-8 (RFC 3629, section 4).
package enum UTF8Sequence {
  /// The length of the sequence at an index whose byte is 0x80 or more; nil if it is malformed.
  package static func byteCount(at index: Int, in bytes: [UInt8]) -> Int? {
    let lead = bytes[index]
    func isTail(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      index + offset < bytes.count && range.contains(bytes[index + offset])
    }
    switch lead {
    case 0xC2...0xDF: return isTail(1) ? 2 : nil
    case 0xE0: return isTail(1, 0xA0...0xBF) && isTail(2) ? 3 : nil
    case 0xED: return isTail(1, 0x80...0x9F) && isTail(2) ? 3 : nil
    case 0xE1...0xEF: return isTail(1) && isTail(2) ? 3 : nil
    case 0xF0: return isTail(1, 0x90...0xBF) && isTail(2) && isTail(3) ? 4 : nil
    case 0xF1...0xF3: return isTail(1) && isTail(2) && isTail(3) ? 4 : nil
    case 0xF4: return isTail(1, 0x80...0x8F) && isTail(2) && isTail(3) ? 4 : nil
    default: return nil
    }
  }
}
