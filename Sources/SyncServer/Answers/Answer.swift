import HTTPTypes
import ListDocuments
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

  /// Throws when the caller may not have the rest.
  typealias Admission = @Sendable () throws(Problem) -> Void

  var status: HTTPResponse.Status = .ok
  var headers: HTTPFields = [:]
  var body: Body = .empty
  var mediaType: String?
  /// The state that the answer shows; nil where it has none.
  var cursor: Cursor?
  /// What the bytes depend on besides the address and the cursor; nil where there is nothing else.
  var variant: EntityTag.Variant?
  var caching: Caching = .revalidated
  /// Asked before each part of the body that is sent; nil where everybody may have it.
  var admission: Admission?

  static func json(_ bytes: [UInt8], caching: Caching = .revalidated) -> Answer {
    Answer(
      body: .held(HeldBody(bytes)), mediaType: MediaTypes.json, caching: caching)
  }

  /// Makes the tag depend on the bytes themselves.
  mutating func tellApartByBytes() {
    if case .held(let body) = body {
      variant = EntityTag.Variant(of: body.bytes.readableBytesView)
    }
  }

  /// The tag of the answer as it is sent; nil where it shows no state of a list.
  func tag(isGzip: Bool) -> EntityTag? {
    cursor.map { EntityTag(cursor: $0, variant: variant, isGzip: isGzip) }
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
