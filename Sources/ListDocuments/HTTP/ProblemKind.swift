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
  /// A commit on an older version and the newer versions exclude each other.
  case conflicts
  case tooOld = "too-old"
  /// The list was dropped or renamed.
  case gone
  case preconditionFailed = "precondition-failed"
  case tooLarge = "too-large"
  case unsupportedMediaType = "unsupported-media-type"
  case unprocessable
  /// A list or delta removes more items than the list's limit allows.
  case removesTooMany = "removes-too-many"
  /// A list or delta updates more items than the list's limit allows.
  case updatesTooMany = "updates-too-many"
  case misdirectedRequest = "misdirected-request"
  case preconditionRequired = "precondition-required"
  case `internal`
  case notImplemented = "not-implemented"
  case damaged
  case busy
  case outOfSpace = "out-of-space"

  /// The permanent URI of the kind.
  package var type: String { "urn:listsync:problem:\(rawValue)" }

  package var statusCode: Int {
    switch self {
    case .invalidRequest: 400
    case .unauthenticated: 401
    case .forbidden: 403
    case .notFound, .noSuchVersion, .noSuchItem: 404
    case .methodNotAllowed: 405
    case .diverged, .conflicts: 409
    case .tooOld, .gone: 410
    case .preconditionFailed: 412
    case .tooLarge: 413
    case .unsupportedMediaType: 415
    case .misdirectedRequest: 421
    case .unprocessable, .removesTooMany, .updatesTooMany: 422
    case .preconditionRequired: 428
    case .internal, .damaged: 500
    case .notImplemented: 501
    case .busy: 503
    case .outOfSpace: 507
    }
  }

  /// A short description, the same for each problem of the kind.
  package var title: String {
    switch self {
    case .invalidRequest: "The request is invalid"
    case .unauthenticated: "A token is needed"
    case .forbidden: "The token does not allow this"
    case .notFound: "Not found"
    case .noSuchVersion: "The list has no such version"
    case .noSuchItem: "There is no such item"
    case .methodNotAllowed: "The resource does not have this method"
    case .diverged: "The cursor is not in the list's history"
    case .conflicts: "Both sides changed the same"
    case .tooOld: "The version was pruned"
    case .gone: "The list is gone"
    case .preconditionFailed: "The list is not at the expected version"
    case .tooLarge: "The request is larger than allowed"
    case .unsupportedMediaType: "The body has an unsupported type or coding"
    case .unprocessable: "The body is not a list, or does not fit this one"
    case .removesTooMany: "The commit removes more items than allowed"
    case .updatesTooMany: "The commit updates more items than allowed"
    case .misdirectedRequest: "The request is for another server"
    case .preconditionRequired: "The request must name the version that it replaces"
    case .internal: "The server failed"
    case .notImplemented: "The server does not support this request"
    case .damaged: "The store is damaged"
    case .busy: "The store is busy"
    case .outOfSpace: "The disk is full"
    }
  }
}

extension JSONWriter {
  /// Writes the members that all problems of a kind share.
  package mutating func members(of kind: ProblemKind) {
    member("type", kind.type)
    member("title", kind.title)
    member("status", kind.statusCode)
  }
}
