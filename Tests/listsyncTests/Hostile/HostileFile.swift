import Foundation
import Gzip

/// Large hostile files, written piece by piece, so that the tests need little memory.
struct HostileFile {
  private static let pieceByteCount = 1 << 20

  private let handle: FileHandle
  private var buffer: [UInt8] = []

  /// Writes a file and returns its size.
  @discardableResult
  static func write(
    _ name: String, in harness: CommandLineHarness, _ body: (inout HostileFile) throws -> Void
  ) throws -> Int {
    try harness.write("", to: name)
    var file = HostileFile(handle: try FileHandle(forWritingTo: harness.url(name)))
    defer { try? file.handle.close() }
    try body(&file)
    try file.flush()
    return Int(try file.handle.offset())
  }

  private init(handle: FileHandle) { self.handle = handle }

  mutating func write(_ text: String) throws { try write(Array(text.utf8)) }

  mutating func write(_ bytes: [UInt8]) throws {
    buffer += bytes
    if buffer.count >= Self.pieceByteCount { try flush() }
  }

  /// Writes one byte many times.
  mutating func write(_ byte: Unicode.Scalar, count: Int) throws {
    let piece = [UInt8](repeating: UInt8(ascii: byte), count: min(count, Self.pieceByteCount))
    for start in stride(from: 0, to: count, by: Self.pieceByteCount) {
      try write(start + piece.count <= count ? piece : Array(piece.prefix(count - start)))
    }
  }

  /// Writes one byte many times, compressed.
  mutating func writePacked(_ start: String, _ byte: Unicode.Scalar, count: Int) throws {
    let compressor = GzipCompressor()
    try write(compressor.compress(Array(start.utf8)))
    let piece = [UInt8](repeating: UInt8(ascii: byte), count: Self.pieceByteCount)
    for _ in 0..<count / Self.pieceByteCount { try write(compressor.compress(piece)) }
    try write(compressor.finish())
  }

  private mutating func flush() throws {
    try handle.write(contentsOf: Data(buffer))
    buffer.removeAll(keepingCapacity: true)
  }
}
