import Foundation
import ListDocuments
import ListModel

/// The meaning of a response, or of a failed try.
public enum ReplicaAnswer: Equatable, Sendable {
  case changes(DeltaDocument)
  case snapshot(SnapshotDelta)
  /// The headers of versions, newest first.
  case headers([VersionHeader])
  /// No news, with the cursor that the server names, if it does.
  case notModified(Cursor?)
  /// The server has no changes since the copy (it is too old, or diverged), and did not send the
  /// whole list.
  case noDelta(WholeListReason)
  /// A document that cannot be read, or contradicts itself.
  case damaged(Mismatch)
  /// A temporary failure.
  case unavailable(Unavailability, retryAfterSeconds: Double? = nil)
  /// A permanent failure of this request.
  case refused(ReplicaError)
}

extension ReplicaAnswer {
  /// Reads a response.
  ///
  /// - Parameters:
  ///   - response: the response, complete.
  ///   - request: the request that was answered.
  ///   - limits: for the list, its items and ids.
  public init(_ response: ReplicaResponse, to request: ReplicaRequest, limits: Limits = .standard) {
    switch response.status {
    case 200: self = Self.document(in: response, to: request, limits)
    case 304:
      self = .notModified(response.headers["etag"].flatMap { EntityTagCondition($0)?.firstCursor })
    default: self = Self.refusal(response, of: request.list)
    }
  }

  private static func document(
    in response: ReplicaResponse, to request: ReplicaRequest, _ limits: Limits
  ) -> ReplicaAnswer {
    let type = response.headers["content-type"] ?? "application/json"
    guard isJSON(type) else { return .unavailable(.notFromServer(contentType: type)) }
    do {
      if case .prove = request.purpose {
        return .headers(try [VersionHeader](versions: response.body, limits: limits))
      }
      return Self(try CatchUpAnswer<DeltaDocument>(response.body, limits: limits))
    } catch {
      return Self(error)
    }
  }

  private init(_ answer: CatchUpAnswer<DeltaDocument>) {
    switch answer {
    case .changes(let document): self = .changes(document)
    case .snapshot(let document): self = .snapshot(document)
    }
  }

  /// The meaning of a document that cannot be read.
  init(_ error: DeltaError) {
    // The next answer would not be smaller.
    self = error.exceeded.map { .refused(.overLimit($0)) } ?? .damaged(.document(error))
  }

  /// Whether a media type is JSON, with or without parameters (RFC 6838, structured suffixes).
  private static func isJSON(_ type: String) -> Bool {
    let name = type.lowercased().prefix { $0 != ";" && $0 != " " }
    return name == "application/json" || name.hasSuffix("+json")
  }

  /// The meaning of a status that is not a success.
  static func refusal(_ response: ReplicaResponse, of list: ListName) -> ReplicaAnswer {
    let problem = ProblemDocument(response)
    let status = response.status
    switch status {
    case 401: return .refused(.unauthenticated(detail: problem.detail))
    case 403: return .refused(.forbidden(detail: problem.detail))
    case 404 where problem.kind == .noSuchVersion: return .noDelta(.diverged)
    case 404: return .refused(.noSuchList(list, detail: problem.detail))
    case 409 where problem.kind == .diverged: return .noDelta(.diverged)
    case 410 where problem.kind == .tooOld: return .noDelta(.tooOld)
    case 410 where problem.kind == .gone:
      return .refused(
        .gone(list, newName: problem.newName, detail: problem.detail))
    case 408, 425, 429, 500, 502..<505, 506..<600:
      return .unavailable(
        .status(status, detail: problem.detail),
        retryAfterSeconds: response.headers["retry-after"].flatMap(seconds))
    default:
      let place = (300..<400).contains(status) ? response.headers["location"] : nil
      let detail = problem.detail ?? place.map { "it has moved to \(address($0, of: list))" }
      return .refused(.refused(status: status, type: problem.type, detail: detail))
    }
  }

  /// The address of the server, or of the publication, in the address of one of its paths.
  private static func address(_ location: String, of list: ListName) -> Substring {
    let marks = ["/v1/", "/\(list)/"]
    let end = marks.compactMap { location.range(of: $0)?.lowerBound }.min() ?? location.endIndex
    return end == location.startIndex ? location[...] : location[..<end]
  }

  /// Whole seconds as in RFC 9110, section 10.2.3; nil for a date.
  private static func seconds(_ text: String) -> Double? {
    guard !text.isEmpty, text.count <= 9, let number = Int(text), number >= 0 else { return nil }
    return Double(number)
  }
}
