import Foundation

/// A file that is there whole or not at all: it is written under another name beside its own, and
/// takes its own when it is on the disk.
struct OutputFile {
  private let path: String
  private let temporaryPath: String
  private let file: FileHandle

  /// - Throws: `FileExists` where there is a file and it is not to be replaced, `UnwritableFile`.
  init(_ path: String, replaces: Bool) throws {
    try Self.check(path, replaces: replaces)
    let url = URL(fileURLWithPath: path)
    let name = ".\(url.lastPathComponent).\(UUID().uuidString).part"
    temporaryPath = url.deletingLastPathComponent().appendingPathComponent(name).path
    self.path = path
    let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard descriptor >= 0 else { throw UnwritableFile(path: path, reason: Self.systemReason) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// - Throws: `UnwritableFile`.
  func write(_ bytes: [UInt8]) throws {
    try onFailure { try file.write(contentsOf: Data(bytes)) }
  }

  /// Brings the file to the disk, and gives it its name.
  ///
  /// - Throws: `FileExists` where someone else has made it meanwhile, `UnwritableFile`.
  func finish(replaces: Bool) throws {
    try onFailure { try file.synchronize() }
    try Self.check(path, replaces: replaces)
    guard rename(temporaryPath, path) == 0 else {
      throw UnwritableFile(path: path, reason: Self.systemReason)
    }
    // The name is on the disk when its folder is.
    let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  /// Removes what was written.
  func abandon() { unlink(temporaryPath) }

  private func onFailure(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw UnwritableFile(path: path, reason: Failure.reason(error))
    }
  }

  private static func check(_ path: String, replaces: Bool) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
    if isFolder.boolValue { throw UnwritableFile(path: path, reason: "it is a folder") }
    if !replaces { throw FileExists(path: path) }
  }

  private static var systemReason: String { String(cString: strerror(errno)) }
}

/// A file that is there and was not to be replaced.
struct FileExists: Error {
  let path: String
}

/// A file that the system would not write.
struct UnwritableFile: Error {
  let path: String
  let reason: String
}
