import Dispatch
import Foundation

// The compiler finds `stat` in the module that it happens to load first.
#if canImport(CDispatch)
  import CDispatch
#endif

/// The kind of file at a path before the verb runs.
enum PathThing: String, CaseIterable, Sendable {
  case absent
  /// The kind that the verb needs: a store, a snapshot file, a bundle, a repository.
  case fitting
  case emptyFile = "empty file"
  case fiveBytes = "five bytes"
  case text
  /// Another program's database.
  case foreign = "foreign database"
  case truncated = "truncated store"
  case unreleased = "store of a development version"
  case newer = "newer store"
  case store
  /// The store that the verb reads, through a symbolic link and through a hard link.
  case linkToSource = "link to the source"
  case hardLinkToSource = "hard link to the source"
  case folder
  case device
  /// A pipe without a process at its other end.
  case fifo = "FIFO"
  case fifoWithPeer = "FIFO with a peer"
  case danglingLink = "dangling link"
  case linkLoop = "link loop"

  /// Whether every place can hold it, and every kind of name can lead to it.
  var isRegular: Bool {
    switch self {
    case .emptyFile, .fiveBytes, .text, .foreign, .truncated, .unreleased, .newer, .store:
      true
    default: false
    }
  }

  /// Puts it at a path.
  ///
  /// - Parameter fitting: the file that the verb needs; nil for none.
  func lay(at path: RawPath, fitting: RawPath?, from templates: PathTemplates) throws {
    switch self {
    case .absent: break
    case .fitting: if let fitting { try Self.copy(fitting, to: path) }
    case .emptyFile: try path.write([])
    case .fiveBytes: try path.write(Array("12345".utf8))
    case .text: try path.write(Array("Yours sincerely,\nA ranger\n".utf8))
    case .foreign, .truncated, .unreleased, .newer, .store:
      try Self.copy(templates.path("\(self).db"), to: path)
    case .linkToSource: try path.makeLink(to: "../own.db")
    case .hardLinkToSource: try path.makeHardLink(to: path.folder / "../own.db")
    case .folder: try path.makeFolder()
    case .device: try path.makeNullDevice()
    case .fifo, .fifoWithPeer: try path.makeFIFO()
    case .danglingLink: try path.makeLink(to: "elsewhere.x")
    case .linkLoop: try path.makeLink(to: path.name)
    }
  }

  private static func copy(_ source: RawPath, to path: RawPath) throws {
    var facts = stat()
    try source.must("stat") { stat($0, &facts) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { return try path.write(source.read()) }
    try path.makeFolder()
    for name in try source.names() { try copy(source / name, to: path / name) }
  }
}

extension RawPath {
  /// The part after the last slash.
  var name: RawPath {
    RawPath(Array(bytes.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed()))
  }

  /// The part before the last slash; a dot if there is none.
  var folder: RawPath {
    bytes.lastIndex(of: UInt8(ascii: "/")).map { RawPath(Array(bytes[..<$0])) } ?? "."
  }
}
