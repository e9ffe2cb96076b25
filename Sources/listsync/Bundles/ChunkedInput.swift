import Foundation
import Gzip

/// The chunks of a file, or of standard input for `-`. Gzip is recognised by its first two bytes,
/// and decompressed.
struct ChunkedInput {
  private static let chunkByteCount = 1 << 18
  private static let gzipMark: [UInt8] = [0x1F, 0x8B]

  private let path: String
  private let file: FileHandle
  private var isStarted = false
  private var decompressor: GzipDecompressor?

  /// - Throws: `VerbError.unreadable`.
  init(_ path: String) throws {
    self.path = path
    do {
      file = try FileHandle.reading(path)
    } catch {
      throw VerbError.unreadable(path, error)
    }
  }

  /// The next chunk, which is never empty; nil at the end.
  ///
  /// - Throws: `VerbError.unreadable`, `GzipError`.
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
    // A pipe may return a single byte.
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
      throw VerbError.unreadable(path, error)
    }
  }
}
