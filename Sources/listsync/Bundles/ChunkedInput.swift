import Foundation
import Gzip

/// The bytes of a file, or of standard input for `-`, chunk by chunk; unpacked where they are gzip,
/// which their first two bytes tell.
struct ChunkedInput {
  private static let chunkByteCount = 1 << 18
  private static let gzipMark: [UInt8] = [0x1F, 0x8B]

  private let path: String
  private let file: FileHandle
  private var isStarted = false
  private var decompressor: GzipDecompressor?

  /// - Throws: `UnreadableFile`.
  init(_ path: String) throws {
    self.path = path
    do {
      file = try FileHandle.reading(path)
    } catch {
      throw UnreadableFile(path: path, error: error)
    }
  }

  /// The next bytes, never none; nil at the end.
  ///
  /// - Throws: `UnreadableFile`, `GzipError`.
  mutating func next() throws -> [UInt8]? {
    if !isStarted { return try start() }
    guard let decompressor else { return try read() }
    while true {
      if let piece = try decompressor.next() { return piece }
      guard let chunk = try read() else {
        try decompressor.finish()
        return nil
      }
      decompressor.feed(chunk)
    }
  }

  private mutating func start() throws -> [UInt8]? {
    isStarted = true
    var first: [UInt8] = []
    // A pipe may give one byte alone.
    while first.count < Self.gzipMark.count, let chunk = try read() { first += chunk }
    guard first.starts(with: Self.gzipMark) else { return first.isEmpty ? nil : first }
    let decompressor = GzipDecompressor()
    decompressor.feed(first)
    self.decompressor = decompressor
    return try next()
  }

  private func read() throws -> [UInt8]? {
    do {
      let data = try file.read(upToCount: Self.chunkByteCount) ?? Data()
      return data.isEmpty ? nil : Array(data)
    } catch {
      throw UnreadableFile(path: path, error: error)
    }
  }
}
