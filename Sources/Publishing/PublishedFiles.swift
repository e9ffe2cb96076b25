import ListDocuments
import ListModel
import SyncService

/// The deltas of a publication.
struct PublishedDeltas {
  private struct File {
    let name: String
    let byteCount: Int
  }

  private let place: PublicationFolder
  private let before: PublicationHead?
  private(set) var levels: [PublicationHead.Level] = []
  private(set) var writtenCount = 0
  private var files: [PublishedRange: File] = [:]

  /// - Parameter before: the last head, if the list continues it. Its files are on the disk; other
  ///   ones, as of a publication that was interrupted, are written again.
  init(in place: PublicationFolder, continuing before: PublicationHead?) {
    (self.place, self.before) = (place, before)
  }

  /// The ranges of a level that have no file.
  ///
  /// - Parameter cursor: called for a version that has files of several histories.
  mutating func missing(
    of ranges: [PublishedRange], _ cursor: (Version) async throws -> Cursor
  ) async throws -> [PublishedRange] {
    guard let before, let first = ranges.first, first.level < before.levels.count else {
      return ranges
    }
    let present = place.files(in: PublicationHead.folder(of: first))
    let named = Dictionary(grouping: present.keys) { name in
      Cursor(String(name.prefix { $0 != "." }))?.version
    }
    for range in ranges where range.start >= before.oldest && range.end <= before.head.version {
      guard let names = named[range.end] else { continue }
      let name = names.count == 1 ? names[0] : "\(try await cursor(range.end)).json"
      files[range] = present[name].map { File(name: name, byteCount: $0) }
    }
    return ranges.filter { files[$0] == nil }
  }

  mutating func write(_ delta: DeltaDocument, _ range: PublishedRange) throws {
    let cursor = delta.to.knownCursor
    let byteCount = try place.write(
      delta.encoded(.line), to: PublicationHead.file(of: range, to: cursor))
    files[range] = File(name: "\(cursor).json", byteCount: byteCount)
    writtenCount += 1
  }

  /// Keeps the ranges of the next level, unless they have more bytes on average than a number: then
  /// a client takes the list.
  mutating func keep(_ ranges: [PublishedRange], atMost byteCount: Int) -> Bool {
    let level = PublicationHead.Level(count: ranges.count, byteCount: self.byteCount(of: ranges))
    if level.byteCount / ranges.count <= byteCount {
      levels.append(level)
      return true
    }
    for range in ranges { files[range] = nil }
    return false
  }

  var byteCount: Int { levels.reduce(0) { $0 + $1.byteCount } }

  func byteCount(of way: [PublishedRange]) -> Int {
    way.reduce(0) { $0 + (files[$1]?.byteCount ?? 0) }
  }

  /// Removes deltas that no longer belong to the publication. Deltas of another history stay until
  /// the next publication.
  ///
  /// - Returns: the number of files.
  func clear() -> Int {
    let kept = Dictionary(grouping: files) { $0.key.length }.mapValues { Set($0.map(\.value.name)) }
    return Self.clear(place) { length, name in
      before == nil || kept[length]?.contains(name) ?? false
    }
  }

  /// Removes deltas.
  ///
  /// - Parameter isKept: whether a file stays, by its number of versions and its name.
  /// - Returns: the number of files.
  static func clear(
    _ place: PublicationFolder, keeping isKept: (Int, String) -> Bool = { _, _ in false }
  ) -> Int {
    let folder = PublicationHead.deltaFolder
    let count = place.names(in: folder).compactMap { Int($0) }.reduce(0) { count, length in
      count
        + place.clear("\(folder)/\(length)") { stem in
          Cursor(stem).map { _ in isKept(length, "\(stem).json") }
        }
    }
    _ = place.clear(folder) { _ in nil }
    return count
  }
}

/// The whole list of a publication, and that of the publication before.
struct PublishedWhole {
  private static let folder = "whole"
  private let place: PublicationFolder
  private let before: PublicationHead.Whole?
  /// The list that the head names.
  var newest: PublicationHead.Whole?
  private(set) var writtenCount = 0

  var byteCount: Int { newest?.byteCount ?? 0 }

  init(_ head: PublicationHead?, in place: PublicationFolder) {
    (self.place, before) = (place, head?.whole)
  }

  /// Writes the list as it is at a state; nothing at version 0.
  mutating func write(_ list: ListName, _ head: ListState, _ service: SyncService) async throws {
    if head == .zero {
      newest = nil
      return
    }
    let (state, snapshot) = try await service.snapshot(
      of: list, at: .cursor(head.knownCursor))
    // The oldest version of the list may rise, and the name of the file does not say it.
    let document = SnapshotDelta(
      list: list, from: nil, to: state, oldest: state.version, snapshot: snapshot, reason: .first)
    let file = "\(Self.folder)/\(state.knownCursor).json"
    let byteCount = try place.write(document.encoded(.line), to: file)
    newest = PublicationHead.Whole(state, file: file, byteCount: byteCount)
    writtenCount += 1
  }

  func clear() -> Int { Self.clear(place, keeping: [newest, before].compactMap { $0?.file }) }

  static func clear(_ place: PublicationFolder, keeping files: [String] = []) -> Int {
    place.clear(folder) { stem in
      Cursor(stem).map { _ in files.contains("\(folder)/\(stem).json") }
    }
  }
}
