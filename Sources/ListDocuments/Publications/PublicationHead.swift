import ListModel

/// The head of a list's publication, `head.json`: the only file that changes.
///
///     {"format":"list-publication/1","list":"parks",
///      "head":{"cursor":"7-…","version":7,"committed_at":"…","author":null,"message":"…",
///              "count":5,"root":"…","previous":"…"},
///      "note":"list-head/1\nparks\n…","oldest":1,"base":4,
///      "levels":[{"count":6,"bytes":1930},{"count":1,"bytes":560}],
///      "whole":{"cursor":"6-…",…,"file":"whole/6-….json","bytes":811}}
///
/// All names of files are relative to the folder of the head. The delta from version K·bᴸ to
/// (K + 1)·bᴸ for the base b is the file `delta/N/CURSOR.json`, where N is bᴸ and CURSOR that of
/// its last version. There are those of each of the `levels` that begin at `oldest` or later and
/// end at `head` or before. `whole` is a list from which a client starts that has none, or that has
/// no way from its version; at version 0 there is none. `note` is the signed note of `head`
/// (``SignedHead``), if there is one. Bytes are those of the files compressed with gzip; those of a
/// level are of all its files.
///
/// Each name determines the bytes of its file, since a cursor determines the whole history up to
/// its version. So no history, of any store, gives a name twice.
public struct PublicationHead: Equatable, Sendable {
  public static let format = "list-publication/1"
  /// Its file in the folder of the list.
  public static let fileName = "head.json"
  /// The folder of deltas.
  public static let deltaFolder = "delta"

  /// A level of deltas.
  public struct Level: Equatable, Sendable {
    public let count: Int
    public let byteCount: Int

    public init(count: Int, byteCount: Int) { (self.count, self.byteCount) = (count, byteCount) }
  }

  /// A whole list.
  public struct Whole: Equatable, Sendable {
    public let state: ListState
    public let file: String
    public let byteCount: Int

    public init(_ state: ListState, file: String, byteCount: Int) {
      (self.state, self.file, self.byteCount) = (state, file, byteCount)
    }
  }

  public let list: ListName
  public let head: ListState
  /// The oldest version from which a delta leads on.
  public let oldest: Version
  public let base: Int
  public let levels: [Level]
  public let whole: Whole?
  /// The signed note of ``head``.
  public let note: String?

  public init(
    list: ListName, head: ListState, oldest: Version, base: Int, levels: [Level], whole: Whole?,
    note: String? = nil
  ) {
    (self.list, self.head, self.oldest, self.base) = (list, head, oldest, base)
    self.note = note
    (self.levels, self.whole) = (levels, whole)
  }

  public var ranges: PublishedRanges { PublishedRanges(base: base, levelCount: levels.count) }

  /// Whether the whole list and the deltas behind it have fewer bytes than the deltas from a
  /// version on, or these are more than ``longestWay``. The bytes of a delta are the mean of its
  /// level.
  ///
  /// - Complexity: O(``longestWay``).
  public func wholeIsSmaller(from version: Version) -> Bool {
    guard let whole, whole.state.version > version else { return false }
    guard let way = byteCount(from: version) else { return true }
    guard let rest = byteCount(from: whole.state.version) else { return false }
    return whole.byteCount + rest < way
  }

  /// A longer way has more requests than a client makes.
  public static let longestWay = 1_000
  /// So that no sum of a way is too large for an integer.
  private static let highestByteCount = 1 << 53

  /// Nil for more than ``longestWay`` deltas.
  private func byteCount(from version: Version) -> Int? {
    let way = ranges.way(from: version, to: head.version, countLimit: Self.longestWay + 1)
    guard way.count <= Self.longestWay else { return nil }
    return way.reduce(0) { sum, range in
      let level = levels[range.level]
      return sum + level.byteCount / max(level.count, 1)
    }
  }

  /// The file of a delta.
  ///
  /// - Parameters:
  ///   - range: the versions over which it leads.
  ///   - cursor: the cursor of the last version of the range.
  public static func file(of range: PublishedRange, to cursor: Cursor) -> String {
    "\(folder(of: range))/\(cursor).json"
  }

  /// The folder of the deltas with the length of a range.
  public static func folder(of range: PublishedRange) -> String {
    "\(deltaFolder)/\(range.length)"
  }
}

// MARK: The document

extension PublicationHead {
  /// The document as JSON text with a line end.
  public func encoded() -> [UInt8] {
    JSONWriter.object { writer in
      writer.member("format", Self.format)
      writer.member("list", list.text)
      writer.object("head") { $0.members(proving: head) }
      if let note { writer.member("note", note) }
      writer.member("oldest", oldest.number)
      writer.member("base", base)
      writer.objects("levels", levels) { writer, level in
        writer.member("count", level.count)
        writer.member("bytes", level.byteCount)
      }
      if let whole {
        writer.object("whole") { writer in
          writer.members(proving: whole.state)
          writer.member("file", whole.file)
          writer.member("bytes", whole.byteCount)
        }
      }
    } + "\n".utf8
  }

  /// Whether a text is meant as the head of a publication, though it may be damaged.
  package static func isHead(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: #"{"format":"list-publication/"#.utf8)
  }

  /// Reads a document; unknown members are ignored.
  ///
  /// - Throws: `DeltaError.json`, `.malformed` or `.limit`, with the place.
  public init(_ bytes: [UInt8], limits: Limits = .standard) throws(DeltaError) {
    let root = try DocumentField(
      delta: bytes, format: Self.format, limits: limits, contentDepth: 0)
    self = try root.read { root throws(DocumentField.Malformed) in
      let head = try root["head"].provenState()
      let oldest = Version(try root["oldest"].index(upTo: head.version.number))
      return PublicationHead(
        list: try root["list"].listName(), head: head, oldest: oldest,
        base: try root["base"].base(),
        levels: try root["levels"].map { field throws(DocumentField.Malformed) in
          Level(
            count: try field["count"].index(),
            byteCount: try field["bytes"].index(upTo: Self.highestByteCount))
        },
        whole: try root["whole"].ifPresent.map { field throws(DocumentField.Malformed) in
          let state = try field.provenState()
          guard state.version <= head.version, state.version >= oldest else {
            throw field["version"].malformed("a version from 'oldest' to 'head'")
          }
          return Whole(
            state, file: try field["file"].fileName(),
            byteCount: try field["bytes"].index(upTo: Self.highestByteCount))
        }, note: try root["note"].ifNotNull?.string())
    }
  }
}

extension DocumentField {
  fileprivate func base() throws(Malformed) -> Int {
    let base = try index(upTo: 1 << 16)
    guard base >= 2 else { throw malformed("a whole number from 2 to \(1 << 16)") }
    return base
  }

  /// The name of a file or folder beside the document or below it.
  fileprivate func fileName() throws(Malformed) -> String {
    try value("names of letters, digits, '.', '-' and '_', separated by '/'") { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      let isPlain = parts.allSatisfy { part in
        part.utf8.first.map { $0 != UInt8(ascii: ".") } ?? false
          && part.utf8.allSatisfy(Self.isPlain)
      }
      return isPlain && text.utf8.count <= 255 ? text : nil
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
