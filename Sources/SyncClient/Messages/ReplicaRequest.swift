import ListDocuments
import ListModel

/// A request for the changes since a cursor, or with edits of that version.
public struct ReplicaRequest: Equatable, Sendable {
  public enum Purpose: Equatable, Sendable {
    /// Get the whole list.
    case startOver
    /// Get the changes that there are now.
    case catchUp
    /// Wait for the next changes: the server holds the request.
    case watch(waitSeconds: Int)
    /// Get the headers of a version and those before it, back to that of the copy.
    case prove(upTo: Cursor)
    /// Commit the changes of a document, merged into newer versions.
    case commit([UInt8])
  }

  /// Unique among the requests, timers and saves of a replica.
  public let number: Int
  public let list: ListName
  public let purpose: Purpose
  /// The copy's cursor; version 0 for the whole list; the base of edits.
  public let since: Cursor
  /// The highest number of changes in an answer; nil for no limit.
  public internal(set) var changeLimit: Int?

  /// The same request, to be answered without waiting.
  var withoutWaiting: ReplicaRequest {
    ReplicaRequest(
      number: number, list: list, purpose: .catchUp, since: since, changeLimit: changeLimit)
  }

  init(
    number: Int, list: ListName, purpose: Purpose, since: Cursor, changeLimit: Int? = nil
  ) {
    (self.number, self.list, self.purpose) = (number, list, purpose)
    (self.since, self.changeLimit) = (since, changeLimit)
  }

  /// A request that commits edits. It has the same bytes whenever it is made.
  ///
  /// - Precondition: Their base is a version of the server.
  init(number: Int, list: ListName, edits: PendingEdits) {
    let document = ChangesToCommit(changes: BareChanges(edits.mine), from: edits.base, to: nil)
    self.init(
      number: number, list: list, purpose: .commit(document.encoded()),
      since: edits.base.knownCursor)
  }

  /// The method of HTTP.
  public var method: String { body == nil ? "GET" : "PATCH" }

  /// The JSON document that is sent; nil for none.
  public var body: [UInt8]? { if case .commit(let body) = purpose { body } else { nil } }

  /// The path below the server's address, and the query, percent-encoded.
  public var target: String {
    if case .prove(let last) = purpose {
      let count = min(last.version.number - since.version.number, Self.highestHeaderCount)
      return Address.versions(of: list, before: last.version.next, count: count)
    }
    if body != nil { return Address.list(list) + "?base=\(since)" }
    var rest = "&fallback=snapshot"
    if case .watch(let waitSeconds) = purpose { rest += "&wait=\(waitSeconds)" }
    if let changeLimit { rest += "&limit=\(changeLimit)" }
    return Address.delta(of: list, since: since, rest: rest)
  }

  /// The header fields. The copy's cursor is the entity tag, so that no news is a 304 without a
  /// body.
  public var headers: [(name: String, value: String)] {
    let accept = (name: "Accept", value: "application/json, application/problem+json")
    switch purpose {
    case .startOver, .prove: return [accept]
    case .commit: return [accept, (name: "Content-Type", value: "application/json")]
    case .catchUp, .watch: return [accept, (name: "If-None-Match", value: "\"\(since)\"")]
    }
  }

  /// The most versions in an answer of a server.
  private static let highestHeaderCount = 1000

  /// The time for which the server may hold the request.
  public var waitSeconds: Int {
    if case .watch(let waitSeconds) = purpose { waitSeconds } else { 0 }
  }
}
