import HTTPTypes
import ListModel
import NIOCore

/// What a route answers, before conditions, codings and the method HEAD make a response of it.
struct Answer: Sendable {
  enum Body: Sendable {
    case empty
    case held(HeldBody)
    /// Bytes as they are made; the closure writes them all, or throws.
    case stream(@Sendable (inout BodyWriter) async throws -> Void)
  }

  /// Who may keep the answer, and for how long.
  enum Caching: Sendable {
    /// It names its versions by full cursors, and will never be another.
    case immutable
    /// It may be kept, and must be asked about before it is used again.
    case revalidated
    case never
  }

  var status: HTTPResponse.Status = .ok
  var headers: HTTPFields = [:]
  var body: Body = .empty
  var mediaType: String?
  /// The state that the answer shows; nil where it has none.
  var cursor: Cursor?
  var caching: Caching = .revalidated
  /// Whether more follows what the cursor names. The tag does not say so: an answer with the same tag
  /// may have had nothing after it.
  var isPage = false

  static func json(_ bytes: [UInt8], caching: Caching = .revalidated) -> Answer {
    Answer(
      body: .held(HeldBody(bytes)), mediaType: MediaTypes.json, caching: caching)
  }
}

enum MediaTypes {
  static let json = "application/json"
  static let problem = "application/problem+json"
  static let lines = "application/x-ndjson"
  static let csv = "text/csv"
  static let tsv = "text/tab-separated-values"
  static let events = "text/event-stream"
  static let metrics = "text/plain; version=0.0.4; charset=utf-8"
}
