import HTTPTypes
import ListModel

/// A method of a resource, its parameters, and the function that answers.
struct Route: Sendable {
  /// The right that a caller needs.
  enum Access: Sendable {
    /// None: the answer shows the server's own state, and nothing of any list.
    case open
    /// A token, if the server has any; the answer shows the lists that the caller may read.
    case anyone
    case read
    case write
  }

  /// The work of an answer, which decides how it is made: see ``LargeAnswerLimiter``.
  enum Work: Sendable {
    /// Reads no list. The answer is bounded by what the server holds, or by its parameters.
    case bounded
    /// Reads a list. A large answer waits to be admitted. Equal requests share it, and it is given
    /// up when the last of their clients has gone.
    case shared
    /// As `shared`, but made for each request by itself: it depends on more than a list's versions,
    /// or is sent in pieces.
    case own
    /// Changes a list. A short commit is made even if its client has gone.
    case commit
  }

  let method: HTTPRequest.Method
  /// The address as OpenAPI and Hummingbird write it: `/v1/lists/{list}`.
  let path: String
  /// The names of the query's parameters.
  var parameters: [String] = []
  let access: Access
  let work: Work
  let answer: @Sendable (Call) async throws -> Answer
}

/// The routes of a server. A test compares them with `openapi.json`.
struct Routes: Sendable {
  let server: SyncServer

  var all: [Route] {
    lists + changes + snapshots + deltas + histories + items + commits + bundles + events + page
      + operations
  }
}
