import Foundation
import ListDocuments
import ListModel

/// The meaning of the response to edits, or of a failed try.
public enum EditAnswer: Equatable, Sendable {
  /// The server has the edits, at this version or a former one.
  case made(Cursor)
  /// Others have changed the same; the server has nothing of the edits.
  case conflicts
  /// The base was pruned. The server may have the edits from an earlier try.
  case tooOld
  /// The server's history has no such base, and so it does not have the edits.
  case diverged
  case unavailable(Unavailability, retryAfterSeconds: Double? = nil)
  /// A permanent failure.
  ///
  /// - Parameter isMade: false if the server does not have the edits, also from an earlier try; nil
  ///   if that is not known.
  case refused(EditRefusal, isMade: Bool?)

  /// Reads the response to edits of a list.
  public init(_ response: ReplicaResponse, of list: ListName) {
    if response.status == 200 || response.status == 201 {
      let document = (try? Content(json: response.body)).map { ContentView($0) }
      let text = document?.member("head")?.member("cursor")?.scalarText
      if let cursor = text.flatMap({ Cursor($0) }) {
        self = .made(cursor)
      } else {
        let type = response.headers["content-type"] ?? "none"
        self = .unavailable(.notFromServer(contentType: type))
      }
      return
    }
    if ProblemDocument(response).kind == .conflicts {
      self = .conflicts
      return
    }
    switch ReplicaAnswer.refusal(response, of: list) {
    case .noDelta(.tooOld): self = .tooOld
    case .noDelta: self = .diverged
    case .unavailable(let cause, let seconds):
      self = .unavailable(cause, retryAfterSeconds: seconds)
    // The server looks for edits that it has before it judges them. 413 is about each request with
    // these edits.
    case .refused(let error):
      self = .refused(.error(error), isMade: response.isOfEdits ? false : nil)
    case .changes, .snapshot, .headers, .notModified, .damaged:
      preconditionFailure("a refusal has no document")
    }
  }

  /// The meaning of a try that brought no response.
  init(_ error: any Error) {
    switch error {
    case let error as ReplicaError: self = .refused(.error(error), isMade: nil)
    case let cause as Unavailability: self = .unavailable(cause)
    default: self = .unavailable(.network(reason: error.localizedDescription))
    }
  }
}

extension ReplicaResponse {
  /// Whether a refusal is about the content of the edits.
  fileprivate var isOfEdits: Bool {
    switch ProblemDocument(self).kind {
    case .unprocessable, .removesTooMany, .updatesTooMany, .tooLarge: true
    default: false
    }
  }
}
