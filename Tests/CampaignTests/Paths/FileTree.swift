import Dispatch
import Foundation

// The compiler finds `stat` in the module that it happens to load first.
#if canImport(CDispatch)
  import CDispatch
#endif

/// The attributes of one file, and its bytes.
struct FileFacts: Equatable {
  let kind: mode_t
  let permissions: mode_t
  let owner: [UInt32]
  let inode: UInt64
  let deviceNumber: UInt64
  /// The bytes of a regular file, or the target of a symbolic link.
  let content: [UInt8]

  /// The differences between two files, in words; empty if they are equal.
  func differences(to other: FileFacts) -> [String] {
    var differences: [String] = []
    if kind != other.kind || deviceNumber != other.deviceNumber { differences.append("kind") }
    if permissions != other.permissions { differences.append("mode") }
    if owner != other.owner { differences.append("owner") }
    if inode != other.inode { differences.append("inode") }
    if content != other.content { differences.append("bytes") }
    return differences
  }
}

/// All files below a folder at one moment.
struct FileTree {
  private(set) var files: [RawPath: FileFacts] = [:]

  /// - Parameter folder: the root; `files` has paths relative to it.
  init(of folder: RawPath) throws { try add("", in: folder) }

  private mutating func add(_ path: RawPath, in root: RawPath) throws {
    let folder = path.bytes.isEmpty ? root : root / path
    for name in try folder.names() {
      let (below, place) = (path / name, folder / name)
      var facts = stat()
      try place.must("lstat") { lstat($0, &facts) }
      let kind = facts.st_mode & S_IFMT
      files[below] = FileFacts(
        kind: kind, permissions: facts.st_mode & 0o7777, owner: [facts.st_uid, facts.st_gid],
        inode: UInt64(facts.st_ino), deviceNumber: UInt64(facts.st_rdev),
        content: try Self.content(of: place, kind))
      if kind == S_IFDIR { try add(below, in: root) }
    }
  }

  private static func content(of path: RawPath, _ kind: mode_t) throws -> [UInt8] {
    switch kind {
    case S_IFREG: return try path.read()
    case S_IFLNK:
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = path.call { path in
        buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
      }
      return Array(buffer.prefix(max(0, count)))
    default: return []
    }
  }

  /// The paths of changed files, with their differences.
  func changes(to other: FileTree) -> [RawPath: [String]] {
    var changes: [RawPath: [String]] = [:]
    for (path, facts) in files {
      let words = other.files[path].map { facts.differences(to: $0) } ?? ["vanished"]
      if !words.isEmpty { changes[path] = words }
    }
    for path in other.files.keys where files[path] == nil { changes[path] = ["appeared"] }
    return changes
  }
}
