/// The bytes at the start of each item of a file, probably: those of the first item, up to the end
/// of its first member's name.
struct ItemBoundary {
  private let pattern: [UInt8]

  /// Nil when the first item is no object with a member.
  init?(firstItemAt start: Int, in bytes: [UInt8]) {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "{") else { return nil }
    let quote = UInt8(ascii: "\"")
    guard let opening = bytes[start...].prefix(Self.maximumByteCount).firstIndex(of: quote),
      let closing = bytes[(opening + 1)...].prefix(Self.maximumByteCount).firstIndex(of: quote)
    else { return nil }
    pattern = Array(bytes[start...closing])
  }

  private static let maximumByteCount = 64

  /// The first index from `start` on, before `limit`, of a probable item that follows another one.
  func next(from start: Int, limit: Int, in bytes: [UInt8]) -> Int? {
    let last = min(limit - 1, bytes.count - pattern.count)
    guard start <= last else { return nil }
    return (start...last).first { isMatch(at: $0, in: bytes) && followsItem($0, in: bytes) }
  }

  private func isMatch(at place: Int, in bytes: [UInt8]) -> Bool {
    for offset in 0..<pattern.count where bytes[place + offset] != pattern[offset] { return false }
    return true
  }

  /// Whether a comma or the end of an object precedes an index.
  private func followsItem(_ place: Int, in bytes: [UInt8]) -> Bool {
    var index = place - 1
    while index >= 0, bytes[index] <= 0x20 { index -= 1 }
    return index >= 0 && (bytes[index] == UInt8(ascii: ",") || bytes[index] == UInt8(ascii: "}"))
  }
}
