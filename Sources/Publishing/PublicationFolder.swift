import Foundation
import Gzip
import ListModel
import LocalFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The folder of a list's publication. While this value lives, no other process publishes there.
///
/// A reader sees each file whole, or not at all. A file and its compressed form `NAME.gz` are two
/// files.
final class PublicationFolder {
  let path: String
  private let descriptor: Int32
  private static let partial = ".partial"
  private static let ending = ".gz"

  /// Creates the folder if it is not there, and waits while another process publishes to it.
  ///
  /// - Throws: `FileError.cannotOpen`, also for a folder with an empty name.
  init(of list: ListName, in folder: String) throws(FileError) {
    // A path that begins with the slash behind it would be in the root folder.
    if folder.isEmpty { throw .cannotOpen(path: folder, reason: "the name is empty") }
    path = "\(folder)/\(list)"
    try Self.create(path)
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: Self.systemReason) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        close(descriptor)
        throw .cannotOpen(path: path, reason: Self.systemReason)
      }
    }
  }

  deinit { close(descriptor) }

  private static var systemReason: String { String(cString: strerror(errno)) }

  /// Creates a folder, and the folders above it. A file of this name stays.
  private static func create(_ path: String) throws(FileError) {
    if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    let reason = systemReason
    guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      slash > path.startIndex
    else { throw .cannotOpen(path: path, reason: reason) }
    try create(String(path[..<slash]))
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw .cannotOpen(path: path, reason: systemReason)
    }
  }

  /// The content of a file; nil if it is not there or cannot be read.
  func content(of file: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(path)/\(file)").map { Array($0) }
  }

  func has(_ file: String) -> Bool { access("\(path)/\(file)", R_OK) == 0 }

  static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    let compressor = GzipCompressor()
    return compressor.compress(bytes) + compressor.finish()
  }

  /// The files in a folder below this one that are there whole and compressed, by their name, with
  /// the number of compressed bytes.
  func files(in folder: String) -> [String: Int] {
    let names = names(in: folder)
    return names.reduce(into: [:]) { files, name in
      guard names.contains(name + Self.ending) else { return }
      var status = stat()
      if stat("\(path)/\(folder)/\(name)\(Self.ending)", &status) == 0 {
        files[name] = Int(status.st_size)
      }
    }
  }

  /// The names of all files and folders in a folder.
  func names(in folder: String) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? [])
  }

  /// Writes a file and its compressed form.
  ///
  /// - Returns: the number of compressed bytes.
  @discardableResult
  func write(_ bytes: [UInt8], to file: String) throws(FileError) -> Int {
    let packed = Self.compressed(bytes)
    try replace(file + Self.ending, with: packed)
    try replace(file, with: bytes)
    return packed.count
  }

  private func replace(_ file: String, with bytes: [UInt8]) throws(FileError) {
    let target = "\(path)/\(file)"
    let temporary = target + Self.partial
    var descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0, errno == ENOENT {
      try Self.create(String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)]))
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else { throw .cannotOpen(path: target, reason: Self.systemReason) }
    let failure = failureOfWriting(bytes, to: descriptor)
    Self.setTime(of: descriptor, after: target)
    close(descriptor)
    guard failure == nil, rename(temporary, target) == 0 else {
      let reason = failure ?? Self.systemReason
      unlink(temporary)
      throw .inputOutput(path: target, reason: reason)
    }
  }

  /// Gives a file a time that is a second after that of the file which it replaces, or later: web
  /// servers make a tag of the length and the whole seconds.
  static func setTime(of descriptor: Int32, after target: String) {
    var (old, new) = (stat(), stat())
    guard stat(target, &old) == 0, fstat(descriptor, &new) == 0 else { return }
    let (before, now) = (old.modificationSeconds, new.modificationSeconds)
    guard now <= before else { return }
    let time = timespec(tv_sec: before + 1, tv_nsec: 0)
    _ = futimens(descriptor, [time, time])
  }

  /// Removes a file and its compressed form.
  func remove(_ file: String) {
    for ending in ["", Self.ending] { unlink("\(path)/\(file)\(ending)") }
  }

  /// Waits until everything that was written is on the disk.
  func flush() { sync() }

  /// Removes files with their compressed forms, and what an interrupted publication left of them.
  ///
  /// - Parameters:
  ///   - folder: a folder below this one, which is removed if nothing is left in it.
  ///   - isKept: whether a file stays, by its name without an ending; nil for a file that no
  ///     publication has written, which also stays.
  /// - Returns: the number of files that were removed, without their compressed forms.
  func clear(_ folder: String, keeping isKept: (_ stem: String) -> Bool?) -> Int {
    var count = 0
    for name in names(in: folder) {
      let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, Self.endings.contains(String(parts[1])),
        let isKept = isKept(String(parts[0])), !isKept || parts[1].hasSuffix(Self.partial),
        unlink("\(path)/\(folder)/\(name)") == 0
      else { continue }
      if parts[1] == "json" { count += 1 }
    }
    rmdir("\(path)/\(folder)")
    return count
  }

  private static let endings = ["", ending].flatMap { ["json\($0)", "json\($0)\(partial)"] }
}

extension stat {
  fileprivate var modificationSeconds: Int {
    #if canImport(Darwin)
      Int(st_mtimespec.tv_sec)
    #else
      Int(st_mtim.tv_sec)
    #endif
  }
}
