import Foundation
import Gzip

/// The chunks of a file, of standard input for `-`, or of a spool. Gzip is recognised by its first
/// two bytes, and decompressed.
struct ChunkedInput {
  private static let chunkByteCount = 1 << 18
  private static let gzipMark: [UInt8] = [0x1F, 0x8B]

  private enum Source {
    /// The spool, if any, keeps all bytes that are read.
    case file(FileHandle, Spool?)
    case kept(Spool, position: Int)
  }

  private let path: String
  private var source: Source
  private var isStarted = false
  private var decompressor: GzipDecompressor?

  /// - Parameter spool: keeps all that is read, to be read again; nil for none.
  /// - Throws: `VerbError.unreadable`.
  init(_ path: String, keepingIn spool: Spool? = nil) throws {
    self.path = path
    do {
      source = .file(try FileHandle.reading(path), spool)
    } catch {
      throw VerbError.unreadable(path, error)
    }
  }

  /// - Parameter path: where the bytes came from, for errors.
  init(_ spool: Spool, of path: String) {
    self.path = path
    source = .kept(spool, position: 0)
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

  private mutating func read() throws -> [UInt8]? {
    do {
      let bytes: [UInt8]
      switch source {
      case .file(let file, let spool):
        bytes = Array(try file.read(upToCount: Self.chunkByteCount) ?? Data())
        spool?.append(bytes)
      case .kept(let spool, let position):
        bytes = try spool.piece(at: position)
        source = .kept(spool, position: position + bytes.count)
      }
      return bytes.isEmpty ? nil : bytes
    } catch {
      throw VerbError.unreadable(path, error)
    }
  }
}
