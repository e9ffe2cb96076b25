import Foundation
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// A replica that edits is killed at every moment at which its file or the server changes, and
/// started again: no edit is lost, and none is made twice.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct EditKillTests {
  /// What others do to the list after each edit.
  enum Others: CaseIterable { case nothing, insert, removeTheEdited }

  @Test(arguments: Others.allCases)
  func editsSurviveAKillAtEveryMoment(_ others: Others) async throws {
    let momentCount = try await trial(nil, others)
    #expect(momentCount > 20)
    for moment in 1...momentCount { _ = try await trial(moment, others) }
  }

  /// - Parameter moment: when the first process is killed; nil for never.
  /// - Returns: the number of moments.
  private func trial(_ moment: Int?, _ others: Others) async throws -> Int {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("parks.replica").path
    let transport = FakeTransport(MachineFixture.server)
    let fate = Fate(moment)
    let edited = await Self.live(fate, path, transport, others)
    // The next process goes on with the file.
    let session = Self.session(Fate(nil), path, transport, others)
    // It edits before it sends.
    await session.pause()
    try await session.start()
    try await session.edit { $0.insert(ModelServer.item("new4"), at: 0) }
    await session.resume()
    try await session.waitForEdits()
    await session.resume()
    try await session.settle()
    let server = await transport.server
    #expect(await session.copy == server.head, "moment \(moment ?? 0), \(others)")
    for number in Array(1...edited.begun) + [4] {
      let id = ItemID("new\(number)")
      let has = server.history.map { copy in copy.snapshot.items.contains { $0.id == id } }
      let insertionCount = zip(has, has.dropFirst()).count { !$0 && $1 }
      // The last edit may have been killed before it was saved.
      let isSaved = number <= edited.saved || number == 4
      #expect(
        insertionCount == 1 || (!isSaved && insertionCount == 0),
        "moment \(moment ?? 0), \(others): edit \(number) was made \(insertionCount) times")
    }
    await session.stop()
    return await fate.momentCount
  }

  /// Edits three times, until the process is killed.
  private static func live(
    _ fate: Fate, _ path: String, _ transport: FakeTransport, _ others: Others
  ) async -> (begun: Int, saved: Int) {
    let session = session(fate, path, transport, others)
    let (counts, counter) = AsyncStream.makeStream(of: Int.self)
    let life = Task {
      try await session.start()
      for number in 1...3 {
        counter.yield(number)
        try await session.edit { $0.insert(ModelServer.item("new\(number)"), at: 0) }
        counter.yield(-number)
        // The second edit is made while the first one is sent.
        if number == 2 { try await session.waitForEdits() }
      }
      try await session.waitForEdits()
      await session.stop()
    }
    let end = Task {
      _ = await life.result
      counter.finish()
    }
    await fate.whenKilled { counter.finish() }
    var (begun, saved) = (1, 0)
    for await number in counts { if number > 0 { begun = number } else { saved = -number } }
    life.cancel()
    end.cancel()
    // A save that has begun ends before the next process begins, as if the kill had come after it.
    while await fate.isSaving { await Task.yield() }
    return (begun, saved)
  }

  private static func session(
    _ fate: Fate, _ path: String, _ transport: FakeTransport, _ others: Others
  ) -> ReplicaSession {
    let source = ReplicaSource(server: "https://lists.example", list: ModelServer.list)
    return ReplicaSession(
      ReplicaMachine.Options(list: ModelServer.list, watches: false),
      transport: MortalTransport(fate: fate, transport: transport, others: others),
      storage: MortalStorage(fate: fate, file: ReplicaFile(path: path, source: source)),
      clock: .immediate)
  }
}

/// Ends a simulated process at a moment: what it does from then on never returns, and changes
/// nothing.
private actor Fate {
  private let moment: Int?
  private(set) var momentCount = 0
  private var onKill: (@Sendable () -> Void)?
  private var isDead = false
  private(set) var isSaving = false

  init(_ moment: Int?) { self.moment = moment }

  func whenKilled(_ body: @escaping @Sendable () -> Void) {
    if isDead { body() } else { onKill = body }
  }

  func note(isSaving: Bool) { self.isSaving = isSaving }

  /// Passes a moment, unless it is the last one.
  func pass() async {
    momentCount += 1
    if momentCount == moment {
      isDead = true
      onKill?()
    }
    // Unsafe because a checked one must be resumed.
    if isDead { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
  }
}

private struct MortalStorage: RowStorage {
  let fate: Fate
  let file: ReplicaFile

  func load() async throws(ReplicaError) -> ListCopy { try await file.load() }

  func loadRows() async throws(ReplicaError) -> ListCopy { try await file.loadRows() }

  func reload() async throws -> (ListCopy, EditQueue) { try await file.reload() }

  func edits() async -> EditQueue { await file.edits() }

  func save(_ step: ReplicaStep?, _ edits: EditQueue?) async throws(ReplicaError) {
    preconditionFailure("a session saves rows")
  }

  func saveRows(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy {
    await fate.pass()
    await fate.note(isSaving: true)
    let copy = try await file.saveRows(step, edits)
    await fate.note(isSaving: false)
    await fate.pass()
    return copy
  }
}

private struct MortalTransport: ReplicaTransport {
  let fate: Fate
  let transport: FakeTransport
  let others: EditKillTests.Others

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    await fate.pass()
    let response = try await transport.send(request)
    if request.body != nil {
      await transport.change { server in
        switch others {
        case .nothing: break
        case .insert: server.commit(server.head.snapshot.items.map(\.id.text) + [UUID().uuidString])
        case .removeTheEdited:
          let items = server.head.snapshot.items
          server.commit(items.map(\.id.text).filter { !$0.hasPrefix("new") })
        }
      }
    }
    await fate.pass()
    return response
  }
}
