import Dispatch
import Foundation

// The compiler finds `stat` in the module that it happens to load first.
#if canImport(CDispatch)
  import CDispatch
#endif

/// A path as the system sees it: bytes of any encoding.
struct RawPath: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
  init(_ text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { self.init(text) }

  static func + (start: RawPath, end: RawPath) -> RawPath { RawPath(start.bytes + end.bytes) }

  static func / (folder: RawPath, name: RawPath) -> RawPath {
    folder.bytes.isEmpty ? name : folder + "/" + name
  }

  /// Readable, with `\xFF` in place of bytes that are not printable ASCII.
  var description: String {
    bytes.map { byte in
      (0x20..<0x7F).contains(byte) ? String(UnicodeScalar(byte)) : String(format: "\\x%02X", byte)
    }.joined()
  }

  func call<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (bytes + [0]).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
  }

  /// Runs a system call that returns 0 on success.
  func must(_ what: String, _ body: (UnsafePointer<CChar>) -> Int32) throws {
    guard call(body) == 0 else {
      throw SystemFailure(what: "\(what) \(self)", code: errno)
    }
  }
}

struct SystemFailure: Error, CustomStringConvertible {
  let what: String
  let code: Int32
  var description: String { "\(what): \(String(cString: strerror(code)))" }
}

extension RawPath {
  func makeFolder() throws { try must("mkdir") { mkdir($0, 0o755) } }

  func makeFIFO() throws { try must("mkfifo") { mkfifo($0, 0o666) } }

  /// Makes a device like `/dev/null`; only an administrator may do this.
  func makeNullDevice() throws {
    var facts = stat()
    guard stat("/dev/null", &facts) == 0 else { throw SystemFailure(what: "stat", code: errno) }
    try must("mknod") { mknod($0, S_IFCHR | 0o666, facts.st_rdev) }
  }

  func makeLink(to target: RawPath) throws {
    try must("symlink") { path in target.call { symlink($0, path) } }
  }

  func makeHardLink(to target: RawPath) throws {
    try must("link") { path in target.call { link($0, path) } }
  }

  func write(_ bytes: [UInt8]) throws {
    let file = call { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard file >= 0 else { throw SystemFailure(what: "open \(self)", code: errno) }
    defer { close(file) }
    guard Foundation.write(file, bytes, bytes.count) == bytes.count else {
      throw SystemFailure(what: "write \(self)", code: errno)
    }
  }

  func read() throws -> [UInt8] {
    let file = call { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw SystemFailure(what: "open \(self)", code: errno) }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else { throw SystemFailure(what: "fstat", code: errno) }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    var count = 0
    while count < bytes.count {
      let taken = bytes[count...].withUnsafeMutableBytes {
        Foundation.read(file, $0.baseAddress, $0.count)
      }
      guard taken > 0 else { break }
      count += taken
    }
    return Array(bytes.prefix(count))
  }

  /// The names in a folder.
  func names() throws -> [RawPath] {
    guard let folder = call({ opendir($0) }) else {
      throw SystemFailure(what: "opendir \(self)", code: errno)
    }
    defer { closedir(folder) }
    var names: [RawPath] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee))
        { RawPath(Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
