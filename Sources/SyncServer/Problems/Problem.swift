import HTTPTypes
import ListDocuments
import ListModel
import SyncService

/// The reason for a refusal, as RFC 9457 describes it. Types and members are part of the interface.
struct Problem: Error, Sendable {
  typealias Kind = ProblemKind

  /// The members of some problems only, which let a client go on.
  struct Members: Sendable {
    var head: Cursor?
    var oldest: Version?
    /// The address of the whole list.
    var snapshot: String?
    /// The present name of a renamed list.
    var newName: ListName?
    var limit: (name: String, value: Int)?
    var changes: (kind: LimitedChange, changed: Int, count: Int, limit: ChangeLimit)?
    /// The conflicts of a merge, and its base.
    var merge: (base: Cursor, conflicts: MergeConflicts)?
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
  /// - Parameter path: the path of the request.
  func answer(requestID: String, from path: String) -> Answer {
    Answer(
      status: kind.status, headers: headers,
      body: .buffered(BufferedBody(document(requestID: requestID, from: path))),
      mediaType: MediaTypes.problem, caching: .never)
  }

  /// - Parameter requestID: nil if the bytes received were no request.
  func document(requestID: String?, from path: String = "/") -> [UInt8] {
    JSONWriter.object { writer in
      writer.members(of: kind)
      writer.member("detail", detail)
      if let requestID { writer.member("request_id", requestID) }
      if let head = members.head { writer.member("head", head.description) }
      if let oldest = members.oldest { writer.member("oldest", oldest.number) }
      if let snapshot = members.snapshot {
        writer.member("snapshot", Address.relative(snapshot, from: path))
      }
      if let newName = members.newName { writer.member("new_name", newName.text) }
      if let limit = members.limit {
        writer.member("limit", limit.name)
        writer.member("highest", limit.value)
      }
      if let changes = members.changes {
        writer.member("\(changes.kind)", changes.changed)
        writer.member("count", changes.count)
        writer.member("highest", changes.limit.highest(of: changes.count))
        writer.member("max_\(changes.kind)", changes.limit.text)
      }
      if let merge = members.merge {
        writer.member("base", merge.base.description)
        writer.members(of: merge.conflicts)
      }
      if !members.positions.isEmpty {
        writer.objects("positions", members.positions) { writer, position in
          writer.member("line", position.line)
          writer.member("column", position.column)
        }
      }
    } + "\n".utf8
  }
}

extension ProblemKind {
  var status: HTTPResponse.Status {
    Self.named.first { $0.code == statusCode } ?? HTTPResponse.Status(code: statusCode)
  }

  /// The statuses with their phrases.
  private static let named: [HTTPResponse.Status] = [
    .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .conflict, .gone,
    .preconditionFailed, .contentTooLarge, .unsupportedMediaType, .misdirectedRequest,
    .unprocessableContent, .preconditionRequired, .internalServerError, .notImplemented,
    .serviceUnavailable, HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
  ]
}
