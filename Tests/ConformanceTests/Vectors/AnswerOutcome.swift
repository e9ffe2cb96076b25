import ListDocuments
import ListModel

@testable import SyncClient

/// What a replica does about an answer, in a word.
enum AnswerOutcome: String {
  /// Apply the changes, or take the whole list.
  case changes, snapshot
  case nothingNew = "nothing-new"
  /// Ask for the whole list; the copy stays until it is there.
  case startOver = "start-over"
  /// Ask again later.
  case retry
  /// End with an error.
  case stop

  init(_ answer: ReplicaAnswer) {
    switch answer {
    case .changes, .headers: self = .changes
    case .snapshot: self = .snapshot
    case .notModified: self = .nothingNew
    case .noDelta, .damaged: self = .startOver
    case .unavailable: self = .retry
    case .refused: self = .stop
    }
  }

  /// The answer of a replica at version 1 of a list.
  static func answer(
    _ status: Int, _ headers: [String: String], _ body: String, since: Cursor
  ) -> ReplicaAnswer {
    let request = ReplicaRequest(
      number: 1, list: History.list, purpose: .catchUp, since: since, changeLimit: nil)
    return ReplicaAnswer(
      ReplicaResponse(status: status, headers: headers, body: Array(body.utf8)), to: request)
  }
}

extension ReplicaAnswer {
  var retryAfterSeconds: Double? {
    if case .unavailable(_, let seconds) = self { seconds } else { nil }
  }
}
