import HTTPTypes
import ListDocuments
import ListModel
import NIOCore

/// The answer of a route. Conditions, compressions and HEAD are applied when it becomes a response.
struct Answer: Sendable {
  enum Body: Sendable {
    case empty
    case buffered(BufferedBody)
    /// The closure writes all bytes, or throws.
    case stream(@Sendable (inout BodyWriter) async throws -> Void)
  }

  enum Caching: Sendable {
    /// A cache may keep the answer forever: it names its versions by full cursors.
    case immutable
    /// A cache may keep the answer, and must revalidate it before each use.
    case revalidated
    case never
  }

  /// Throws if the caller may not have the rest of the answer.
  typealias Admission = @Sendable () throws(Problem) -> Void

  var status: HTTPResponse.Status = .ok
  var headers: HTTPFields = [:]
  /// The address that always has this answer (`Content-Location`).
  var permanent: String?
  /// The address of the next page (`Link`).
  var next: String?
  /// The address of what the request has made (`Location`).
  var location: String?
  var body: Body = .empty
  var mediaType: String?
  /// The state that the answer shows; nil if it shows none.
  var cursor: Cursor?
  /// A digest of everything else that determines the bytes; nil if the address and cursor do.
  var variant: EntityTag.Variant?
  var caching: Caching = .revalidated
  /// Whether requests with another `Accept` get another answer.
  var variesWithAccept = false
  /// Called before each piece of the body is sent; nil if every caller may have the answer.
  var admission: Admission?

  static func json(_ bytes: [UInt8], caching: Caching = .revalidated) -> Answer {
    Answer(body: .buffered(BufferedBody(bytes)), mediaType: MediaTypes.json, caching: caching)
  }

  /// An object with the members that the closure writes.
  static func json(
    caching: Caching = .revalidated, _ members: (inout JSONWriter) -> Void
  ) -> Answer {
    .json(JSONWriter.object(members) + "\n".utf8, caching: caching)
  }

  /// An array with an object on each line.
  static func json<Element>(
    lines elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
  ) -> Answer {
    var writer = JSONWriter()
    writer.array { writer in
      for element in elements {
        writer.lineBreak()
        writer.object { members(&$0, element) }
      }
    }
    return .json(writer.bytes + "\n".utf8)
  }

  /// Makes the tag depend on the bytes.
  mutating func addVariantOfBytes() {
    if case .buffered(let body) = body {
      variant = body.variant
    }
  }

  /// The tag of the answer as it is sent; nil if it shows no state of a list.
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
