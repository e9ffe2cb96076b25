import Foundation

/// The spelling of a file's path.
enum PathSpelling: String, CaseIterable, Sendable {
  case plain
  case oneLetter = "one letter"
  case dotted = "./"
  case doubleSlash = "//"
  case folderUp = "folder/../"
  case absolute
  case doublyAbsolute = "//absolute"
  case link
  case linkToLink = "link to link"
  case folderLink = "folder link"
  case folderLinkUp = "folder link/../"
  case percent = "%"
  case question = "?"
  case hash = "#"
  case decomposed = "decomposed é"
  case space
  case newline
  case hardLink = "hard link"
  case trailingSlash = "trailing slash"
  case trailingDot = "trailing /."
  case absentFolderUp = "nodir/../"
  case memory = ":memory:"
  case memoryAddress = "file:?mode=memory"
  case address = "file:"
  case notUTF8 = "not UTF-8"
  case dash = "-"
  case longName = "255 bytes"
  case longPath = "long path"
  case overlongName = "256 bytes"
  case empty

  /// How surely the system and every library find the same file by it.
  enum Clarity {
    /// It must work like the plain name.
    case clear
    /// It must work like the plain name, or be refused.
    case ambiguous
    /// No file can have this path.
    case impossible
  }

  /// - Parameter addsToName: whether the verb makes other names that begin with this one.
  func clarity(addsToName: Bool) -> Clarity {
    switch self {
    case .plain, .oneLetter, .dotted, .doubleSlash, .folderUp, .absolute, .doublyAbsolute, .link,
      .linkToLink, .folderLink, .folderLinkUp, .percent, .question, .hash, .decomposed, .space,
      .newline:
      .clear
    case .hardLink, .longName, .longPath: addsToName ? .ambiguous : .clear
    case .trailingSlash, .trailingDot, .absentFolderUp, .memory, .memoryAddress, .address,
      .notUTF8, .dash:
      .ambiguous
    case .overlongName, .empty: .impossible
    }
  }

  /// Whether it is only a name, of a file in the working folder.
  var isBare: Bool {
    switch self {
    case .oneLetter, .memory, .memoryAddress, .address, .dash, .empty: true
    default: false
    }
  }
}

/// A path as the verb gets it, and its file.
struct SpelledPath {
  /// The path as the verb gets it.
  let given: RawPath
  /// The file's path from the working folder, without links and detours.
  let file: RawPath
  /// The names that a program would use if it read the path differently.
  var temptations: [RawPath] = []
  /// Symbolic links and folders that must exist.
  var links: [(path: RawPath, target: RawPath)] = []
  var folders: [RawPath] = []
  var hasHardLink = false

  init(given: RawPath, file: RawPath) { (self.given, self.file) = (given, file) }

  private init(_ path: RawPath) { self.init(given: path, file: path) }

  /// - Parameters:
  ///   - folder: the file's folder, from the working folder; empty for the working folder.
  ///   - work: the working folder.
  init(_ spelling: PathSpelling, in folder: RawPath, work: RawPath) {
    let file = folder / "place.x"
    switch spelling {
    case .plain: self.init(file)
    case .oneLetter: self.init("x")
    case .dotted: self.init(given: "." / file, file: file)
    case .doubleSlash: self.init(given: folder / "/place.x", file: file)
    case .folderUp: self.init(given: folder / "inner/../place.x", file: file)
    case .absolute: self.init(given: work / file, file: file)
    case .doublyAbsolute: self.init(given: "/" + work / file, file: file)
    case .link, .linkToLink, .folderLink, .folderLinkUp, .hardLink:
      self.init(linked: spelling, in: folder, work: work)
    case .trailingSlash: self.init(given: file + "/", file: file)
    case .trailingDot: self.init(given: file + "/.", file: file)
    case .absentFolderUp: self.init(given: folder / "nodir/../place.x", file: file)
    case .empty: self.init(given: "", file: "listsync.db")
    default: self.init(named: spelling, in: folder)
    }
    if spelling == .folderUp { folders = [folder / "inner"] }
  }

  private init(linked spelling: PathSpelling, in folder: RawPath, work: RawPath) {
    let file = folder / "place.x"
    switch spelling {
    case .link:
      self.init(given: folder / "link", file: file)
      links = [(folder / "link", "place.x")]
    case .linkToLink:
      self.init(given: folder / "link", file: file)
      links = [(folder / "link", "second"), (folder / "second", work / file)]
    case .folderLink:
      self.init(given: folder / "short/place.x", file: folder / "deep/inner/place.x")
    case .folderLinkUp:
      self.init(given: folder / "short/../place.x", file: folder / "deep/place.x")
      temptations = [file]
    default:
      self.init(given: folder / "hard", file: folder / "hard")
      hasHardLink = true
    }
    if spelling == .folderLink || spelling == .folderLinkUp {
      folders = [folder / "deep", folder / "deep/inner"]
      links = [(folder / "short", "deep/inner")]
    }
  }

  private init(named spelling: PathSpelling, in folder: RawPath) {
    let name = Self.name(spelling)
    if spelling == .longPath {
      let parts = (0..<3).map { RawPath(String(repeating: "\($0)", count: 240)) }
      let inner = folder / parts[0] / parts[1] / parts[2]
      self.init(inner / "place.x")
      folders = [folder / parts[0], folder / parts[0] / parts[1], inner]
    } else {
      self.init(folder / name.given)
      temptations = name.temptations.map { folder / $0 }
    }
  }

  private static func name(_ spelling: PathSpelling) -> (given: RawPath, temptations: [RawPath]) {
    let long = String(repeating: "place", count: 51)
    return switch spelling {
    case .memory: (":memory:", [])
    case .memoryAddress: ("file:place.x?mode=memory", ["place.x", "file:place.x"])
    case .address: ("file:place.x", ["place.x"])
    case .percent: ("place%41.x", ["placeA.x"])
    case .question: ("place?mode=memory", ["place"])
    case .hash: ("place#x", ["place"])
    case .decomposed: ("place-e\u{301}.x", ["place-é.x"])
    case .space: (" place x ", ["place x", "place"])
    case .newline: ("place\nx", ["place"])
    case .notUTF8:
      (
        RawPath(Array("place-".utf8) + [0xFF, 0xFE]),
        ["place-\u{FFFD}\u{FFFD}", "place-\u{FFFD}", "place-"]
      )
    case .dash: ("-place.x", ["place.x"])
    case .longName: (RawPath(long), [])
    default: (RawPath(long + "x"), [])
    }
  }
}
