/// What the first 100 bytes of a database say, as far as its checksums depend on it (section 1.3 of
/// SQLite's file format).
struct DatabaseHeader {
  static let byteCount = 100

  let pageByteCount: Int
  /// At the end of each page, which SQLite leaves alone.
  let reservedByteCount: Int
  let userVersion: Int
  let applicationID: Int

  /// Nil where the bytes are not those of a database.
  ///
  /// - Parameter start: of at least ``byteCount`` bytes.
  init?(_ start: UnsafeRawPointer) {
    let bytes = UnsafeRawBufferPointer(start: start, count: Self.byteCount)
    func integer(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
    guard bytes.prefix(16).elementsEqual("SQLite format 3\0".utf8) else { return nil }
    let size = integer(16..<18)
    pageByteCount = size == 1 ? 65_536 : size
    guard pageByteCount >= 512, pageByteCount & (pageByteCount - 1) == 0 else { return nil }
    reservedByteCount = Int(bytes[20])
    userVersion = integer(60..<64)
    applicationID = integer(68..<72)
  }

  /// Whether pages end in checksums. From schema 3 on they do, whatever the byte says that tells
  /// their room: a store that lost that byte is damaged, and its first page says so.
  var hasPageChecksums: Bool {
    reservedByteCount == PageChecksum.byteCount
      || (applicationID == Schema.applicationID && userVersion >= Schema.firstWithPageChecksums)
  }
}
