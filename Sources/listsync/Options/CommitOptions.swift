import ArgumentParser
import ListModel
import SyncService

/// What a commit says about itself, and what its author had seen.
struct CommitOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Why the list changed.") var message: String?
  @Option(help: "Who changed it.") var author: String?
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "When it changed: a day or an RFC 3339 time (default: now).", valueName: "time"))
  var time: String?
  @Option(
    help: ArgumentHelp(
      """
      The version that you have seen; anything else at the head refuses the commit. 0: a new list.
      """, valueName: "cursor"))
  var expect: String?

  /// - Throws: `ValidationError`.
  func check() throws {
    _ = try Timestamp(argument: time, of: "--at")
    _ = try CommitRequest.Expectation(argument: expect)
  }

  func complete(_ request: inout CommitRequest) throws {
    request.author = author
    request.message = message
    request.time = try Timestamp(argument: time, of: "--at")
    request.expected = try CommitRequest.Expectation(argument: expect)
  }
}

extension Timestamp {
  /// Reads a day or a time; nil where there is none.
  ///
  /// - Throws: `ValidationError` when the text is neither.
  init?(argument text: String?, of option: String) throws {
    guard let text else { return nil }
    guard let written = Timestamp.read(text) else {
      throw ValidationError(
        "\(option): '\(text)' is not a time; write 2026-11-21 or 2026-11-21T11:37:00Z.")
    }
    self = written.start
  }
}

extension CommitRequest.Expectation {
  /// Reads what the author had seen; nil where there is nothing.
  ///
  /// - Throws: `ValidationError` when the text is not a cursor.
  init?(argument text: String?) throws {
    guard let text else { return nil }
    guard let expectation = CommitRequest.Expectation(text) else {
      throw ValidationError("--expect: '\(text)' is not a cursor; write 7 or 7-3f9a1c2b7d40.")
    }
    self = expectation
  }
}
