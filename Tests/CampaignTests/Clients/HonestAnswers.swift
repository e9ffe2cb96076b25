import Foundation
import ListModel
import TestSupport

@testable import SyncClient

/// A real server's answers to every query about a list, made beforehand.
struct HonestAnswers: Sendable {
  let list: ListName
  /// The copies of every version, the empty one first.
  let copies: [ListCopy]
  /// Answers by the cursor of the request; for the head, the answer says that nothing is new.
  private var answers: [Cursor: ReplicaResponse] = [:]
  /// The answer to a client that starts over.
  private let whole: ReplicaResponse
  /// The answer to a cursor that belongs to no version.
  private let diverged: ReplicaResponse

  var head: ListCopy { copies[copies.count - 1] }
  var all: [ReplicaResponse] { [whole, diverged] + answers.values }

  init(seed: UInt64) async throws {
    let list = LiveServer.lists[0]
    let server = try await LiveServer(itemCount: 12, seed: seed)
    var random = SeededRandom(seed: seed)
    var cursors = [ListCopy.empty.cursor, server.head(of: list)]
    for number in 1...40 {
      try await server.perform(
        ServerAct(seconds: Double(number), kind: .commit, lagSeconds: 0, seed: random.next()))
      if server.head(of: list) != cursors.last { cursors.append(server.head(of: list)) }
    }
    try await server.notice()
    func answer(
      _ purpose: ReplicaRequest.Purpose, _ since: Cursor
    ) async throws -> ReplicaResponse {
      let request = ReplicaRequest(number: 1, list: list, purpose: purpose, since: since)
      let answer = try await server.answer(request.target, request.headers)
      guard let response = answer.unpacked else { throw Violation("the server packs wrongly") }
      return response
    }
    self.list = list
    copies = try cursors.map { cursor in
      guard let known = server.known[list], let state = known.state(cursor),
        let snapshot = known.snapshot(cursor)
      else { throw Violation("\(cursor) is not known") }
      return cursor == ListCopy.empty.cursor
        ? .empty : try ListCopy(state: state, snapshot: snapshot)
    }
    whole = try await answer(.startOver, ListCopy.empty.cursor)
    diverged = try await answer(
      .catchUp, Cursor("3-0123456789ab00000000000000000000") ?? ListCopy.empty.cursor)
    for cursor in cursors { answers[cursor] = try await answer(.catchUp, cursor) }
  }

  /// The answer to a request, given the text of its head.
  func answer(to head: String) -> ReplicaResponse {
    let isStartingOver = !head.lowercased().contains("\r\nif-none-match:")
    if isStartingOver { return whole }
    let rest = head.components(separatedBy: "since=").dropFirst().first ?? ""
    return Cursor(String(rest.prefix { $0 != "&" })).flatMap { answers[$0] } ?? diverged
  }

  /// Whether some version has exactly these items.
  func has(_ snapshot: Snapshot) -> Bool { copies.contains { $0.snapshot == snapshot } }
}
