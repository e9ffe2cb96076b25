/// The three bytes that some programs write before UTF-8 text; they are no part of it.
enum ByteOrderMark {
  /// The index of the first byte of the text: behind the mark where there is one.
  static func textStart(in bytes: [UInt8]) -> Int {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }
}
