import ArgumentParser
import ListModel
import SyncService

/// The metadata of a commit, and the version that its author expects.
struct CommitOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Why the list changed.") var message: String?
  @Option(help: "Who changed it.") var author: String?
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "When it changed: a day or an RFC 3339 time (default: now).", valueName: "time"),
    transform: Timestamp.init(argument:))
  var time: Timestamp?
  @Flag(
    name: .customLong("allow-earlier-date"),
    help: "Allow a time with --at that is before the newest version's.")
  var allowsEarlierTime = false
  @Option(
    help: ArgumentHelp(
      "Commit only if this is still the newest version; 0 for a new list.", valueName: "cursor"),
    transform: Revision.init(expected:))
  var expect: Revision?

  func validate() throws {
    if allowsEarlierTime, time == nil {
      throw ValidationError("--allow-earlier-date: only --at gives a date.")
    }
  }

  func complete(_ request: inout CommitRequest) {
    request.author = author
    request.message = message
    request.time = time
    request.allowsEarlierTime = allowsEarlierTime
    request.expected = [expect].compactMap(\.self)
  }
}

extension Timestamp {
  /// - Throws: `ValidationError` when the text is neither a day nor a time.
  fileprivate init(argument text: String) throws {
    guard let written = Timestamp.read(text, allowsBasicOffset: true) else {
      throw ValidationError(
        "write a time as 2026-11-21, 2026-11-21T11:37:00Z or 2026-11-21T13:37:00+02:00.")
    }
    self = written.start
  }
}

extension Revision {
  /// A version or cursor that the user has seen. Other revisions may name a newer version by now.
  ///
  /// - Throws: `ValidationError` for another text than a version or cursor.
  init(expected text: String) throws {
    guard let revision = Revision(text), revision.version != nil else {
      throw ValidationError("write a cursor as 7 or 7-3f9a1c2b7d40.")
    }
    self = revision
  }
}

/// The author and the expected version of a drop or a rename.
struct DepartureOptions: ParsableArguments {
  @Option(help: "Who does it, for the record.") var author: String?
  @Option(
    help: ArgumentHelp("Do it only if this is still the newest version.", valueName: "cursor"),
    transform: Revision.init(expected:))
  var expect: Revision?

  func request(for list: ListName) -> DepartureRequest {
    var request = DepartureRequest(list: list)
    (request.author, request.expected) = (author, [expect].compactMap(\.self))
    return request
  }
}
