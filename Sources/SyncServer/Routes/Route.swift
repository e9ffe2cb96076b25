import HTTPTypes
import ListModel

/// What can be asked of the server: a method, an address, its parameters, and what answers.
struct Route: Sendable {
  /// What a caller needs.
  enum Access: Sendable {
    /// Nothing: the server's own state, without a word about lists.
    case open
    /// A token, where the server has any; the answer shows what its bearer may see.
    case anyone
    case read
    case write
  }

  let method: HTTPRequest.Method
  /// The address as OpenAPI writes it: `/v1/lists/{list}`.
  let path: String
  /// The names of the query's parameters.
  var parameters: [String] = []
  let access: Access
  let answer: @Sendable (Call) async throws -> Answer
}
