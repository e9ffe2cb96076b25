import ListDocuments
import ListModel

/// A request for the changes since a cursor.
public struct ReplicaRequest: Equatable, Sendable {
  public enum Purpose: Equatable, Sendable {
    /// Get the whole list.
    case startOver
    /// Get the changes that there are now.
    case catchUp
    /// Get the next changes: the server waits for them.
    case watch(waitSeconds: Int)
  }

  /// Unique among the requests, timers and saves of a replica.
  public let number: Int
  public let list: ListName
  public let purpose: Purpose
  /// The copy's cursor; version 0 for the whole list.
  public let since: Cursor
  /// The highest number of changes in an answer; nil for no limit.
  public internal(set) var changeLimit: Int?

  /// The path below the server's address, and the query, percent-encoded.
  public var target: String {
    var rest = "&fallback=snapshot"
    if case .watch(let waitSeconds) = purpose { rest += "&wait=\(waitSeconds)" }
    if let changeLimit { rest += "&limit=\(changeLimit)" }
    return Address.delta(of: list, since: since, rest: rest)
  }

  /// The header fields. The copy's cursor is the entity tag, so that no news is a 304 without a
  /// body.
  public var headers: [(name: String, value: String)] {
    let accept = (name: "Accept", value: "application/json, application/problem+json")
    guard purpose != .startOver else { return [accept] }
    return [accept, (name: "If-None-Match", value: "\"\(since)\"")]
  }

  /// The time that the server is asked to wait.
  public var waitSeconds: Int {
    if case .watch(let waitSeconds) = purpose { waitSeconds } else { 0 }
  }
}
