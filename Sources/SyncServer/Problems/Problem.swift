import HTTPTypes
import ListDocuments
import ListModel

/// The reason for a refusal, as RFC 9457 describes it. Types and members are part of the interface.
struct Problem: Error, Sendable {
  typealias Kind = ProblemKind

  /// The members of some problems only, which let a client go on.
  struct Members: Sendable {
    var head: Cursor?
    var oldest: Version?
    /// The address of the whole list.
    var snapshot: String?
    var limit: (name: String, value: Int)?
    /// Places in the body, from line 1 and column 1.
    var positions: [TextPosition] = []
  }

  let kind: Kind
  var detail: String
  var members = Members()
  var headers: HTTPFields = [:]

  static func invalid(_ detail: String) -> Problem {
    Problem(kind: .invalidRequest, detail: detail)
  }

  /// For an absent list, and for one that the caller may not read.
  static func noSuchList(_ name: String) -> Problem {
    Problem(kind: .notFound, detail: "no list '\(name.shortened)'")
  }

  static func busy(_ detail: String) -> Problem {
    Problem(kind: .busy, detail: detail, headers: [.retryAfter: "1"])
  }
}

extension Problem {
  func answer(requestID: String) -> Answer {
    Answer(
      status: kind.status, headers: headers, body: .held(HeldBody(document(requestID: requestID))),
      mediaType: MediaTypes.problem, caching: .never)
  }

  /// - Parameter requestID: nil if the bytes received were no request.
  func document(requestID: String?) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("type", kind.type)
      writer.member("title", kind.title)
      writer.member("status", kind.status.code)
      writer.member("detail", detail)
      if let requestID { writer.member("request_id", requestID) }
      if let head = members.head { writer.member("head", head.description) }
      if let oldest = members.oldest { writer.member("oldest", oldest.number) }
      if let snapshot = members.snapshot { writer.member("snapshot", snapshot) }
      if let limit = members.limit {
        writer.member("limit", limit.name)
        writer.member("highest", limit.value)
      }
      if !members.positions.isEmpty {
        writer.objects("positions", members.positions) { writer, position in
          writer.member("line", position.line)
          writer.member("column", position.column)
        }
      }
    }
    return writer.bytes + "\n".utf8
  }
}

extension ProblemKind {
  var status: HTTPResponse.Status {
    switch self {
    case .invalidRequest: .badRequest
    case .unauthenticated: .unauthorized
    case .forbidden: .forbidden
    case .notFound, .noSuchVersion, .noSuchItem: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .diverged: .conflict
    case .tooOld: .gone
    case .preconditionFailed: .preconditionFailed
    case .tooLarge: .contentTooLarge
    case .unsupportedMediaType: .unsupportedMediaType
    case .unprocessable: .unprocessableContent
    case .misdirectedRequest: .misdirectedRequest
    case .preconditionRequired: .preconditionRequired
    case .internal, .damaged: .internalServerError
    case .notImplemented: .notImplemented
    case .busy: .serviceUnavailable
    case .outOfSpace: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    }
  }

  var title: String {
    switch self {
    case .invalidRequest: "The request is invalid"
    case .unauthenticated: "A token is needed"
    case .forbidden: "The token does not allow this"
    case .notFound: "Not found"
    case .noSuchVersion: "The list has no such version"
    case .noSuchItem: "The list never had such an item"
    case .methodNotAllowed: "The resource does not have this method"
    case .diverged: "The cursor is not in the list's history"
    case .tooOld: "The version was pruned"
    case .preconditionFailed: "The list is not at the expected version"
    case .tooLarge: "The request is larger than allowed"
    case .unsupportedMediaType: "The body has an unsupported type or coding"
    case .unprocessable: "The body is not a list, or does not fit this one"
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
