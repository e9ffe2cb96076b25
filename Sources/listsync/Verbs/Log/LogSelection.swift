import ArgumentParser
import ListModel
import SyncService

/// Which versions a log shows.
struct LogSelection: ParsableArguments {
  @Option(
    name: .customShort("n"), help: ArgumentHelp("At most this many entries.", valueName: "count"),
    transform: Int.init(count:))
  var limit: Int?
  @Option(help: ArgumentHelp("After this version, or from this date on.", valueName: "rev"))
  var since: Revision?
  @Option(help: ArgumentHelp("Up to this version or date.", valueName: "rev")) var until: Revision?
  @Option(help: ArgumentHelp("Versions whose author contains this text.", valueName: "text"))
  var author: String?
  @Option(help: ArgumentHelp("Versions whose message contains this text.", valueName: "text"))
  var grep: String?
  @Option(
    help: ArgumentHelp(
      "Versions in which this member changed in any item. Repeat it for more members.",
      valueName: "pointer"),
    transform: JSONPointer.init(argument:))
  var changed: [JSONPointer] = []

  /// Whether no option except the limit selects versions.
  var isEmpty: Bool {
    since == nil && until == nil && author == nil && grep == nil && changed.isEmpty
  }

  /// Passes the selected versions to a receiver, newest first.
  func records(
    of list: ListName, _ service: SyncService, receive: (VersionRecord) async throws -> Void
  ) async throws {
    let filter = try await filter(of: list, service)
    let members = MemberFilter(only: changed)
    var steps = LogSteps(of: list, service)
    var (before, remaining) = (filter.newest?.next, limit ?? .max)
    while remaining > 0 {
      let count = isEmpty ? min(remaining, Self.batchCount) : Self.batchCount
      let batch = try await service.log(of: list, before: before, limit: count)
      for record in batch where remaining > 0 && filter.includes(record) {
        if !changed.isEmpty {
          guard record.changes.updated > 0,
            let delta = try await steps.step(to: record),
            !ShownChanges(delta.changes, members).isEmpty
          else { continue }
        }
        try await receive(record)
        remaining -= 1
      }
      guard let last = batch.last?.version, last > filter.oldest else { return }
      before = last
    }
  }

  private static let batchCount = 256

  /// - Throws: `ServiceError` when the list lacks a version that an option names.
  func filter(of list: ListName, _ service: SyncService) async throws -> LogFilter {
    var filter = LogFilter(author: author, message: grep)
    switch since {
    case .date(let date): filter.start = date.start
    case let revision?:
      filter.oldest =
        try await service.state(of: ListRevision(list, revision)).cursor?.version.next ?? .zero
    case nil: break
    }
    switch until {
    case .date(let date): filter.end = date.end
    case let revision?:
      filter.newest = try await service.state(of: ListRevision(list, revision)).cursor?.version
    case nil: break
    }
    return filter
  }
}

/// The conditions that a shown version meets.
struct LogFilter: Sendable {
  var oldest = Version.zero
  var newest: Version?
  /// Dates may descend from version to version, so they bound no range of versions.
  var start: Timestamp?
  var end: Timestamp?
  /// Compared without case.
  var author: String?
  var message: String?

  func includes(_ record: VersionRecord) -> Bool {
    record.version >= oldest && newest.map { record.version <= $0 } ?? true
      && start.map { record.note.time >= $0 } ?? true && end.map { record.note.time <= $0 } ?? true
      && Self.text(record.note.author, holds: author)
      && Self.text(record.note.message, holds: message)
  }

  private static func text(_ text: String?, holds part: String?) -> Bool {
    guard let part else { return true }
    return text?.lowercased().contains(part.lowercased()) ?? false
  }
}
