import Foundation
import ListDocuments
import ListModel
import ListStore
import LocalFiles
import SyncService
import WebPage

/// Writes lists as files, from which clients catch up without a server: see
/// ``/ListDocuments/PublicationHead``.
///
/// Files that do not change come first, then a page of the history and a feed of the newest
/// versions, and the head last, so a reader of a head finds what it names. After the head, deltas
/// are removed that were pruned; the whole list and the folder of the head before stay for one more
/// publication, since a cache may be that far behind. Files that no publication has written are
/// never removed.
///
/// Of a list that was dropped or renamed, only a head stays that says so
/// (``/ListDocuments/PublicationEnd``).
public struct Publisher: Sendable {
  /// The one with the fewest requests.
  public static let standardBase = 2

  private let service: SyncService
  private let folder: String
  private let base: Int?
  private let signer: HeadSigner?

  /// - Parameters:
  ///   - service: the service of the store.
  ///   - folder: the folder that gets a folder for each list.
  ///   - base: how many deltas of a level make one of the next, 2 or more; nil for the base that a
  ///     publication has, and ``standardBase`` for a new one.
  ///   - signer: signs the heads; nil for heads without a signature.
  public init(
    _ service: SyncService, folder: String, base: Int? = nil, signer: HeadSigner? = nil
  ) {
    // A standby that is behind would take back what is published.
    (self.service, self.folder, self.base, self.signer) = (service.primary, folder, base, signer)
  }

  /// What a publication did.
  public struct Outcome: Sendable {
    public let list: ListName
    /// Nil for a list that is gone.
    public let head: ListState?
    /// Says that the list is gone; nil if it is there.
    public let end: PublicationEnd?
    public let writtenCount: Int
    public let removedCount: Int
    /// The compressed bytes of all files that clients catch up from.
    public let byteCount: Int
  }

  /// Publishes a list as it is now, or that it is gone. Writes only files that are not there yet.
  ///
  /// - Parameters:
  ///   - list: its name.
  ///   - onProgress: called with each delta that was written.
  /// - Throws: `ServiceError` of those grouped under looking up; `.gone` only for a list that was
  ///   never published; `FileError`; `StoreError`. The publication is then as it was, or has more
  ///   files than its head names.
  /// - Complexity: for c new changes, O(c log n) for n versions, and reading the names of all
  ///   files; now and then the whole list.
  public func publish(
    _ list: ListName, onProgress: (PublishedRange) -> Void = { _ in }
  ) async throws -> Outcome {
    // No folder for a list that is not there.
    do {
      _ = try await service.state(of: ListRevision(list, .head))
    } catch ServiceError.gone(let former) where isPublished(list) {
      return try withdraw(former)
    }
    let place = try PublicationFolder(of: list, in: folder)
    // The list may be pruned, or begin again, in the middle.
    for _ in 0..<2 {
      do {
        return try await publish(list, to: place, onProgress)
      } catch let error as ServiceError where error.isOfChangedHistory {}
    }
    return try await publish(list, to: place, onProgress)
  }

  /// Publishes lists until the task is cancelled: first all, then each after its commits.
  ///
  /// - Parameters:
  ///   - board: shows the heads of the same store.
  ///   - interval: the time between two searches for lists that have changed.
  ///   - isAsked: whether a list is published.
  ///   - onFailure: gets the error of a list that could not be published, or of `onOutcome`. The
  ///     list is tried again after its next commit, unless this throws.
  ///   - onOutcome: gets the outcome of each publication.
  /// - Throws: `CancellationError` when the task is cancelled; errors that `onFailure` throws.
  public func publishLists(
    of board: HeadBoard, every interval: Duration = HeadBoard.standardSearchInterval,
    where isAsked: (ListName) -> Bool = { _ in true },
    onFailure: (ListName, any Error) throws -> Void, onOutcome: (Outcome) throws -> Void = { _ in }
  ) async throws {
    // Lists that left their names while nobody looked.
    for list in publishedLists() where isAsked(list) && board.formerList(list) != nil {
      do {
        try onOutcome(try await publish(list))
      } catch {
        try onFailure(list, error)
      }
    }
    try await board.followLists(every: interval, onFailure: onFailure) { list in
      if isAsked(list) { try onOutcome(try await publish(list)) }
    }
  }

  private func publish(
    _ list: ListName, to place: PublicationFolder, _ onProgress: (PublishedRange) -> Void
  ) async throws -> Outcome {
    let head = try await service.state(of: ListRevision(list, .head))
    let oldest = min(try await service.oldest(of: list), head.version)
    let content = place.content(of: PublicationHead.fileName)
    let before = content.flatMap { try? PublicationHead($0) }
    let base = self.base ?? before?.base ?? Self.standardBase
    let folder = try await deltaFolder(
      after: before, of: list, at: head, base: base, isFirst: content == nil)
    let isContinued = folder == before?.folder
    var whole = PublishedWhole(before, isContinued: isContinued, oldest, in: place)
    if whole.newest == nil { try await whole.write(list, head, oldest, service) }
    // What an interrupted publication wrote behind its head may be of another history.
    var deltas = PublishedDeltas(
      in: place, folder, trustedUpTo: isContinued ? before?.head.version ?? .zero : .zero)
    for level in 0... {
      let ranges = PublishedRanges.all(ofLevel: level, base: base, from: oldest, to: head.version)
      guard let newest = ranges.last else { break }
      let isPublished = isContinued && before.map { level < $0.levels.count } ?? false
      if level > 0, !isPublished {
        let sample = PublicationFolder.compressed(try await delta(newest, of: list))
        guard sample.count * 2 < whole.byteCount else { break }
      }
      for range in deltas.missing(of: ranges) {
        try deltas.write(try await delta(range, of: list), range)
        onProgress(range)
      }
      guard deltas.keep(ranges, atMost: level == 0 ? .max : whole.byteCount) else { break }
    }
    if let newest = whole.newest {
      let ranges = PublishedRanges(base: base, levelCount: deltas.levels.count)
      let way = ranges.way(from: newest.state.version, to: head.version)
      if deltas.byteCount(of: way) * 2 > whole.byteCount {
        try await whole.write(list, head, oldest, service)
      }
    }
    // All that was read belongs to the history of the head.
    _ = try await service.state(of: ListRevision(list, .cursor(head.knownCursor)))
    let new = PublicationHead(
      list: list, head: head, oldest: oldest, base: base, folder: folder, levels: deltas.levels,
      whole: whole.newest,
      note: signer?.note(of: list, at: head, keeping: before?.note))
    if before != new { try await writePages(of: list, to: place) }
    place.flush()
    if before != new { try place.write(new.encoded(), to: PublicationHead.fileName) }
    return Outcome(
      list: list, head: head, end: nil, writtenCount: deltas.writtenCount + whole.writtenCount,
      removedCount: deltas.clear(before: before) + whole.clear(),
      byteCount: deltas.byteCount + whole.byteCount)
  }

  /// Writes the page and the feed. A page that nobody could open is not there.
  private func writePages(of list: ListName, to place: PublicationFolder) async throws {
    let records = try await service.log(of: list, limit: VersionFeed.highestCount)
    if let feed = VersionFeed(of: list, records) { try place.write(feed.encoded(), to: Self.feed) }
    var request = ExportRequest(list: list)
    request.isWhole = true
    if isForeignPage(in: place) { return }
    let page = try await HistoryPage(
      request, service, byteLimit: Self.pageByteLimit, lineByteLimit: .max)
    guard let page else { return place.remove(Self.page) }
    try place.write(page.parts.reduce(into: []) { $0 += $1 }, to: Self.page)
  }

  /// Whether the page is somebody else's, and stays.
  private func isForeignPage(in place: PublicationFolder) -> Bool {
    guard let page = place.content(of: Self.page) else { return false }
    return !page.prefix(1_000).contains(Array(ReportPage.mark.utf8))
  }

  private static let feed = "feed.xml"
  private static let page = "index.html"
  /// The page is made anew for each publication.
  private static let pageByteLimit = 16_000_000

  private func delta(_ range: PublishedRange, of list: ListName) async throws -> [UInt8] {
    var document = DeltaDocument(
      try await service.delta(of: list, since: .version(range.start), to: .version(range.end)))
    // The oldest version may rise; the file stays as it is.
    document.oldest = nil
    return document.encoded(.line)
  }

  /// The folder of the deltas: another one than before if the list does not continue what was
  /// published, or the base is another one. Caches may keep the old deltas for ever.
  ///
  /// - Parameter isFirst: whether there is no head, not even one that says that a list is gone.
  private func deltaFolder(
    after before: PublicationHead?, of list: ListName, at head: ListState, base: Int, isFirst: Bool
  ) async throws -> String {
    if isFirst { return PublicationHead.standardFolder }
    if let before, before.list == list, before.base == base,
      try await isPast(before.head, of: list)
    {
      return before.folder
    }
    return "\(PublicationHead.standardFolder)-\(base)-\(head.knownCursor.short)"
  }

  /// Whether a state is the list's or was. A list may have been pruned beyond it.
  private func isPast(_ state: ListState, of list: ListName) async throws -> Bool {
    do {
      return try await service.state(of: ListRevision(list, .cursor(state.knownCursor))) == state
    } catch let error as ServiceError where error.isOfChangedHistory {
      return false
    }
  }
}

// MARK: Lists that are gone

extension Publisher {
  private func isPublished(_ list: ListName) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/\(list)/\(PublicationHead.fileName)")
  }

  private func publishedLists() -> [ListName] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { ListName($0) }.filter(isPublished).sorted()
  }

  /// Says that a list is gone, and removes what clients catch up from.
  private func withdraw(_ former: FormerList) throws -> Outcome {
    let place = try PublicationFolder(of: former.name, in: folder)
    let end = PublicationEnd(
      list: former.name, leftAt: former.leftAt, newName: former.newName)
    if place.content(of: PublicationHead.fileName) != end.encoded() {
      try place.write(end.encoded(), to: PublicationHead.fileName)
    }
    let page = isForeignPage(in: place) ? [] : [Self.page]
    for file in page + [Self.feed] { place.remove(file) }
    return Outcome(
      list: former.name, head: nil, end: end, writtenCount: 0,
      removedCount: PublishedDeltas.clear(place) + PublishedWhole.clear(place), byteCount: 0)
  }
}

extension ServiceError {
  /// Whether a version is not, or no longer, one of the list.
  fileprivate var isOfChangedHistory: Bool {
    switch self {
    case .tooOld, .diverged, .noSuchVersion: true
    default: false
    }
  }
}

/// The deltas of a publication.
private struct PublishedDeltas {
  private let place: PublicationFolder
  private let folder: String
  private let trusted: Version
  private(set) var levels: [PublicationHead.Level] = []
  private(set) var writtenCount = 0
  private var byteCounts: [PublishedRange: Int] = [:]

  /// - Parameter version: files of later versions are written again.
  init(in place: PublicationFolder, _ folder: String, trustedUpTo version: Version) {
    (self.place, self.folder, trusted) = (place, folder, version)
  }

  /// Those of the ranges of a level that have no file.
  mutating func missing(of ranges: [PublishedRange]) -> [PublishedRange] {
    let files = place.files(in: "\(folder)/\(ranges[0].level)")
    for range in ranges where range.end <= trusted {
      byteCounts[range] = files["\(range.index).json"]
    }
    return ranges.filter { byteCounts[$0] == nil }
  }

  mutating func write(_ bytes: [UInt8], _ range: PublishedRange) throws {
    byteCounts[range] = try place.write(
      bytes, to: PublicationHead.file(of: range, in: folder))
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
    for range in ranges { byteCounts[range] = nil }
    return false
  }

  var byteCount: Int { levels.reduce(0) { $0 + $1.byteCount } }

  func byteCount(of way: [PublishedRange]) -> Int {
    way.reduce(0) { $0 + (byteCounts[$1] ?? 0) }
  }

  /// Removes deltas that are none of the publication any more.
  ///
  /// - Parameter before: the head that was published before.
  /// - Returns: the number of files.
  func clear(before: PublicationHead?) -> Int {
    let kept = Dictionary(grouping: byteCounts.keys, by: \.level)
      .mapValues { Set($0.map(\.index)) }
    var count = 0
    for level in place.levels(of: folder) {
      count += place.clear("\(folder)/\(level)") { stem in
        Int(stem).map { kept[level]?.contains($0) ?? false }
      }
    }
    _ = Self.clear(place, keeping: [folder, before?.folder])
    return count
  }

  /// Removes all deltas in other folders than some.
  ///
  /// - Returns: the number of files.
  static func clear(_ place: PublicationFolder, keeping folders: [String?] = []) -> Int {
    var count = 0
    for folder in place.names(in: ".") where folder.isDeltaFolder && !folders.contains(folder) {
      for level in place.levels(of: folder) {
        count += place.clear("\(folder)/\(level)") { Int($0) == nil ? nil : false }
      }
      _ = place.clear(folder) { _ in nil }
    }
    return count
  }
}

extension PublicationFolder {
  /// The levels that a folder of deltas has.
  fileprivate func levels(of folder: String) -> [Int] { names(in: folder).compactMap { Int($0) } }
}

extension String {
  /// Whether it is the name of a folder that the publisher makes for deltas.
  fileprivate var isDeltaFolder: Bool {
    if self == PublicationHead.standardFolder { return true }
    let parts = split(separator: "-", maxSplits: 2).map(String.init)
    return parts.count == 3 && parts[0] == PublicationHead.standardFolder && Int(parts[1]) != nil
      && Cursor(given: parts[2]) != nil
  }
}

/// The whole list of a publication, and the one before.
private struct PublishedWhole {
  private static let folder = "whole"
  private let place: PublicationFolder
  private let before: PublicationHead.Whole?
  /// The one that the head names.
  private(set) var newest: PublicationHead.Whole?
  private(set) var writtenCount = 0

  var byteCount: Int { newest?.byteCount ?? 0 }

  init(
    _ head: PublicationHead?, isContinued: Bool, _ oldest: Version, in place: PublicationFolder
  ) {
    (self.place, before) = (place, head?.whole)
    if isContinued, let whole = head?.whole, whole.state.version >= oldest,
      place.has(whole.file)
    {
      newest = whole
    }
  }

  /// Writes the list as it is at a state; nothing at version 0.
  mutating func write(
    _ list: ListName, _ head: ListState, _ oldest: Version, _ service: SyncService
  ) async throws {
    if head == .zero {
      newest = nil
      return
    }
    let (state, snapshot) = try await service.snapshot(
      of: list, at: .cursor(head.knownCursor))
    let document = SnapshotDelta(
      list: list, from: nil, to: state, oldest: oldest, snapshot: snapshot, reason: .first)
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
