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
/// are removed that were pruned; the whole list of the head before, and its deltas if it was of
/// another history, stay for one more publication, since a cache may be that far behind. Files that
/// no publication has written are never removed.
///
/// Of a list that was dropped or renamed, only a head stays that says so
/// (``/ListDocuments/PublicationEnd``).
public struct Publisher: Sendable {
  /// The base with which clients need the fewest requests.
  public static let standardBase = 2

  private let service: SyncService
  private let folder: String
  private let base: Int?
  private let signer: HeadSigner?
  private let hasHistory: Bool
  /// The page is made anew for each publication.
  private let pageByteLimit: Int

  /// - Parameters:
  ///   - service: the service of the store.
  ///   - folder: the folder that gets a folder for each list.
  ///   - base: how many deltas of a level make one of the next, 2 or more; nil for the base that a
  ///     publication has, and ``standardBase`` for a new one.
  ///   - signer: signs the heads; nil for heads without a signature.
  ///   - hasHistory: whether to write the history as a SQLite file too. A publication that has one
  ///     keeps it.
  public init(
    _ service: SyncService, folder: String, base: Int? = nil, signer: HeadSigner? = nil,
    hasHistory: Bool = false
  ) {
    self.init(
      service, folder: folder, base: base, signer: signer, hasHistory: hasHistory,
      pageByteLimit: 16_000_000)
  }

  init(
    _ service: SyncService, folder: String, base: Int?, signer: HeadSigner?,
    hasHistory: Bool = false, pageByteLimit: Int
  ) {
    // A standby that is behind would take back what is published.
    (self.service, self.folder, self.base, self.signer) = (service.primary, folder, base, signer)
    (self.hasHistory, self.pageByteLimit) = (hasHistory, pageByteLimit)
  }

  /// The result of a publication.
  public struct Outcome: Sendable {
    public let list: ListName
    /// Nil for a list that is gone.
    public let head: ListState?
    /// Says that the list is gone; nil if it is there.
    public let end: PublicationEnd?
    public let writtenCount: Int
    public let removedCount: Int
    /// Whether there is a page of the history.
    public let hasPage: Bool
    /// The compressed bytes of all files that clients catch up from.
    public let byteCount: Int
  }

  /// Publishes a list as it is now, or that it is gone. Writes only files that are not there yet.
  ///
  /// - Parameters:
  ///   - list: its name.
  ///   - isAsked: whether another list is published here too. Of a renamed list, the new name is
  ///     told only if that list is, or has been, published here: readers may not know others.
  ///   - onProgress: called with each delta that was written.
  /// - Throws: `ServiceError` of looking up; `.gone` only for a list that was
  ///   never published; `FileError`; `StoreError`. The publication is then as it was, or has more
  ///   files than its head names.
  /// - Complexity: for c new changes, O(c log n) for n versions, and reading the names of all
  ///   files; now and then the whole list.
  public func publish(
    _ list: ListName, beside isAsked: (ListName) -> Bool = { _ in false },
    onProgress: (PublishedRange) -> Void = { _ in }
  ) async throws -> Outcome {
    // No folder for a list that is not there.
    do {
      _ = try await service.state(of: ListRevision(list, .head))
    } catch ServiceError.gone(let former) where isPublished(list) {
      return try withdraw(former, beside: isAsked)
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
  ///   - headCache: shows the heads of the same store.
  ///   - interval: the time between two searches for lists that have changed.
  ///   - isAsked: whether a list is published.
  ///   - onFailure: gets the error of a list that could not be published, or of `onOutcome`. The
  ///     list is tried again after its next commit, unless this throws.
  ///   - onOutcome: gets the outcome of each publication.
  /// - Throws: `CancellationError` when the task is cancelled; errors that `onFailure` throws.
  public func publishLists(
    of headCache: HeadCache, every interval: Duration = HeadCache.standardSearchInterval,
    where isAsked: (ListName) -> Bool = { _ in true },
    onFailure: (ListName, any Error) throws -> Void, onOutcome: (Outcome) throws -> Void = { _ in }
  ) async throws {
    // Lists that left their names while nobody looked.
    for list in publishedLists() where isAsked(list) && headCache.retiredList(list) != nil {
      do {
        try onOutcome(try await publish(list, beside: isAsked))
      } catch {
        try onFailure(list, error)
      }
    }
    try await headCache.followLists(every: interval, onFailure: onFailure) { list in
      if isAsked(list) { try onOutcome(try await publish(list, beside: isAsked)) }
    }
  }

  private func publish(
    _ list: ListName, to place: PublicationFolder, _ onProgress: (PublishedRange) -> Void
  ) async throws -> Outcome {
    let head = try await service.state(of: ListRevision(list, .head))
    let oldest = min(try await service.oldest(of: list), head.version)
    let before = place.content(of: PublicationHead.fileName)
      .flatMap { try? PublicationHead($0) }.flatMap { $0.list == list ? $0 : nil }
    let base = self.base ?? before?.base ?? Self.standardBase
    // The head before, if it is of the history that the list has now.
    var continued: PublicationHead?
    if let before, before.base == base, try await isPast(before.head, of: list) {
      continued = before
    }
    var whole = PublishedWhole(before, in: place)
    if let last = before?.whole, last.state.version >= oldest, place.has(last.file),
      try await isPast(last.state, of: list)
    {
      whole.newest = last
    } else {
      try await whole.write(list, head, service)
    }
    var deltas = PublishedDeltas(in: place, continuing: continued)
    for level in 0... {
      let ranges = PublishedRanges.all(ofLevel: level, base: base, from: oldest, to: head.version)
      guard let newest = ranges.last else { break }
      let isPublished = continued.map { level < $0.levels.count } ?? false
      if level > 0, !isPublished {
        let sample = try await documents([newest], of: list)[0].encoded(.line)
        guard PublicationFolder.compressed(sample).count * 2 < whole.byteCount else { break }
      }
      var missing = try await deltas.missing(of: ranges) { version in
        try await service.state(of: ListRevision(list, .version(version))).knownCursor
      }[...]
      while !missing.isEmpty {
        let some = missing.prefix(max(Self.versionsAtOnce / newest.length, 1))
        let documents = try await documents(Array(some), of: list)
        for (range, document) in zip(some, documents) {
          try deltas.write(document, range)
          onProgress(range)
        }
        missing = missing.dropFirst(documents.count)
      }
      guard deltas.keep(ranges, atMost: level == 0 ? .max : whole.byteCount) else { break }
    }
    if let newest = whole.newest {
      let ranges = PublishedRanges(base: base, levelCount: deltas.levels.count)
      let way = ranges.way(from: newest.state.version, to: head.version)
      if deltas.byteCount(of: way) * 2 > whole.byteCount {
        try await whole.write(list, head, service)
      }
    }
    // All that was read belongs to the history of the head.
    _ = try await service.state(of: ListRevision(list, .cursor(head.knownCursor)))
    let new = PublicationHead(
      list: list, head: head, oldest: oldest, base: base, levels: deltas.levels,
      whole: whole.newest,
      note: signer?.note(of: list, at: head, keeping: before?.note))
    let history = PublishedHistory(in: place)
    if history.isThere || hasHistory, before != new || !history.isThere {
      try await history.write(list, service)
    }
    if before != new { try await writePages(of: list, since: oldest, to: place) }
    place.flush()
    if before != new { try place.write(new.encoded(), to: PublicationHead.fileName) }
    return Outcome(
      list: list, head: head, end: nil, writtenCount: deltas.writtenCount + whole.writtenCount,
      removedCount: deltas.clear() + whole.clear(), hasPage: place.has(Self.page),
      byteCount: deltas.byteCount + whole.byteCount)
  }

  /// Writes the page and the feed.
  private func writePages(
    of list: ListName, since oldest: Version, to place: PublicationFolder
  ) async throws {
    let page = try await writePage(of: list, to: place)
    let feed = VersionFeed(
      of: list, try await service.log(of: list, limit: VersionFeed.highestCount), page: page,
      oldest: try await service.state(of: ListRevision(list, .version(oldest))).knownCursor,
      replacing: place.content(of: Self.feed))
    if let feed { try place.write(feed.encoded(), to: Self.feed) }
  }

  /// Writes the page, with the newest versions if all are too many.
  ///
  /// - Returns: nil if there is none, since nobody could open it.
  private func writePage(
    of list: ListName, to place: PublicationFolder
  ) async throws -> VersionFeed.Page? {
    if isForeignPage(in: place) { return VersionFeed.Page(file: Self.page, start: nil) }
    let page = try await HistoryPage.ofNewestVersions(of: list, service, byteLimit: pageByteLimit)
    guard let page else {
      place.remove(Self.page)
      return nil
    }
    try place.write(page.parts.reduce(into: []) { $0 += $1 }, to: Self.page)
    return VersionFeed.Page(file: Self.page, start: page.summary.header.startState.version)
  }

  /// Whether the page is somebody else's, and stays.
  private func isForeignPage(in place: PublicationFolder) -> Bool {
    guard let page = place.content(of: Self.page) else { return false }
    return !page.prefix(1_000).contains(Array(ReportPage.mark.utf8))
  }

  private static let feed = "feed.xml"
  private static let page = "index.html"

  /// How many versions are read in one transaction, and after how many bytes of contents it ends.
  private static let (versionsAtOnce, bytesAtOnce) = (256, 1 << 22)

  /// The deltas of the first of some ranges, at least of one.
  private func documents(
    _ ranges: [PublishedRange], of list: ListName
  ) async throws -> [DeltaDocument] {
    let deltas = try await service.deltas(
      of: list, between: ranges.map { ($0.start, $0.end) }, byteLimit: Self.bytesAtOnce)
    return deltas.map { delta in
      var document = DeltaDocument(delta)
      // The oldest version may rise, and the name of the file does not say it.
      document.oldest = nil
      return document
    }
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
  private func withdraw(
    _ former: RetiredList, beside isAsked: (ListName) -> Bool
  ) throws -> Outcome {
    let place = try PublicationFolder(of: former.name, in: folder)
    let newName = former.newName.flatMap { isAsked($0) || isPublished($0) ? $0 : nil }
    let end = PublicationEnd(list: former.name, leftAt: former.leftAt, newName: newName)
    if place.content(of: PublicationHead.fileName) != end.encoded() {
      try place.write(end.encoded(), to: PublicationHead.fileName)
    }
    let page = isForeignPage(in: place) ? [] : [Self.page]
    for file in page + [Self.feed] { place.remove(file) }
    PublishedHistory(in: place).remove()
    return Outcome(
      list: former.name, head: nil, end: end, writtenCount: 0,
      removedCount: PublishedDeltas.clear(place) + PublishedWhole.clear(place), hasPage: false,
      byteCount: 0)
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
