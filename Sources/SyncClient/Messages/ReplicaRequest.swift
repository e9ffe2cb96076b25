import ListDocuments
import ListModel

/// A question to the server: what does a copy at this cursor lack?
public struct ReplicaRequest: Equatable, Sendable {
  public enum Purpose: Equatable, Sendable {
    /// The whole list, whatever the copy is.
    case startOver
    /// What is there now.
    case catchUp
    /// What is there as soon as there is something: the server holds the answer back so long.
    case watch(waitSeconds: Int)
  }

  /// Tells its answer from those to other requests of this replica.
  public let number: Int
  public let list: ListName
  public let purpose: Purpose
  /// What the copy is at; version 0 where the whole list is wanted.
  public let since: Cursor
  /// How many changes an answer may cover; nil for all.
  public let changeLimit: Int?

  public init(
    number: Int, list: ListName, purpose: Purpose, since: Cursor, changeLimit: Int? = nil
  ) {
    self.number = number
    self.list = list
    self.purpose = purpose
    self.since = since
    self.changeLimit = changeLimit
  }

  /// The path below the server's address, and the query: every character in it may stand in one.
  public var target: String {
    var rest = "&fallback=snapshot"
    if case .watch(let waitSeconds) = purpose { rest += "&wait=\(waitSeconds)" }
    if let changeLimit { rest += "&limit=\(changeLimit)" }
    return Address.delta(of: list, since: since, rest: rest)
  }

  /// The header fields. With the copy's own cursor as the entity tag, nothing new is an answer of
  /// 304 without a body.
  public var headers: [(name: String, value: String)] {
    let accept = (name: "Accept", value: "application/json, application/problem+json")
    guard purpose != .startOver else { return [accept] }
    return [accept, (name: "If-None-Match", value: "\"\(since)\"")]
  }

  /// How long the server may take by the request's own wish.
  public var waitSeconds: Int {
    if case .watch(let waitSeconds) = purpose { waitSeconds } else { 0 }
  }
}
