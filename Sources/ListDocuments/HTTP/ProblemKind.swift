/// The kinds of HTTP problem documents (RFC 9457) of this interface.
package enum ProblemKind: String, CaseIterable, Sendable {
  case invalidRequest = "invalid-request"
  case unauthenticated
  case forbidden
  case notFound = "not-found"
  case noSuchVersion = "no-such-version"
  case noSuchItem = "no-such-item"
  case methodNotAllowed = "method-not-allowed"
  case diverged
  case tooOld = "too-old"
  case preconditionFailed = "precondition-failed"
  case tooLarge = "too-large"
  case unsupportedMediaType = "unsupported-media-type"
  case unprocessable
  case misdirectedRequest = "misdirected-request"
  case preconditionRequired = "precondition-required"
  case `internal`
  case notImplemented = "not-implemented"
  case damaged
  case busy
  case outOfSpace = "out-of-space"

  /// The permanent URI of the kind.
  package var type: String { "urn:listsync:problem:\(rawValue)" }
}
