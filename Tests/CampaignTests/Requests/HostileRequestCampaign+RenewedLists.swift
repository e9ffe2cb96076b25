import Foundation
import ListDocuments
import ListModel
import SQLiteStore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

/// Readers of a list that is dropped, and whose name begins again.
extension HostileRequestCampaign {
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func answersAboutAListThatIsBegunAgainAreOfOneHistory() async throws {
    let server = try serve()
    let port = try await server.port()
    let path = server.folder.appendingPathComponent("listsync.db").path
    let store = try SQLiteStore(path: path, ifAbsent: .fail)
    let service = SyncService(store: store) { TestStore.noon }
    let lives = Lives()
    try await lives.begin(0, in: service)
    let readers = (0..<3).map { _ in
      Task {
        var answers: [(target: String, answer: AnswerReader.Answer)] = []
        while !lives.haveEnded {
          for target in ["/v1/lists/parks/delta?since=1", "/v1/lists/parks"] {
            let answer = try await Self.get(target, port: port).first
            answers.append((target, try #require(answer)))
          }
        }
        return answers
      }
    }
    let count = Self.campaign.rounds(4, long: 200)
    for life in 1...count {
      let status = try await Self.send("DELETE", "", on: "If-Match: *", port: port)
      #expect(status == 200 || status == 204, "life \(life): \(status)")
      try await lives.begin(life, in: service)
    }
    lives.end()
    var exactCount = 0
    for reader in readers {
      for (target, answer) in try await reader.value {
        let isExact = try lives.hasExactly(answer, to: target)
        exactCount += isExact ? 1 : 0
      }
    }
    #expect(exactCount > 0)
    try await Self.verify(path)
    Self.campaign.report("\(count) lists begun again, \(exactCount) exact answers")
  }
}

/// The versions of all lists that had one name, one after the other.
private final class Lives: Sendable {
  private let state = Mutex((known: [Cursor: Snapshot](), haveEnded: false))

  var haveEnded: Bool { state.withLock { $0.haveEnded } }
  func end() { state.withLock { $0.haveEnded = true } }

  /// Begins the name again with three versions. The changes since the first are kept.
  func begin(_ life: Int, in service: SyncService) async throws {
    for version in 1...3 {
      let snapshot = try Snapshot.of((0..<260).map { "i\($0)=\(life * 10 + version)" })
      var request = CommitRequest(list: .parks, snapshot: snapshot)
      request.beginsAgain = true
      let cursor = try #require(try await service.commit(request).state.cursor)
      state.withLock { $0.known[cursor] = snapshot }
    }
  }

  private func snapshot(at cursor: Cursor?) throws -> Snapshot {
    if cursor?.version == .zero { return .empty }
    return try #require(state.withLock { state in cursor.flatMap { state.known[$0] } })
  }

  /// - Returns: false for a refusal: there was no list, or no version 1.
  func hasExactly(_ answer: AnswerReader.Answer, to target: String) throws -> Bool {
    guard answer.status == 200 else {
      #expect([404, 409, 410].contains(answer.status), "\(target): \(answer.status)")
      return false
    }
    if target.contains("delta") {
      let delta = try DeltaDocument(answer.body)
      let reached = try delta.applied(to: snapshot(at: delta.from.cursor))
      #expect(try reached == snapshot(at: delta.to.cursor), "\(target)")
    } else {
      let tag = try #require(answer.header("etag")?.dropFirst().dropLast())
      let list = try SnapshotReader(options: SnapshotOptions()).read(answer.body).snapshot
      #expect(try list == snapshot(at: Cursor(String(tag))), "\(target)")
    }
    return true
  }
}
