import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Testing

/// A store, and a cursor that does not belong to its history.
struct ForeignCursor {
  let cursor: Cursor
  let line: HistoryLine
  let list: ListSummary
  let context: Comment

  init(_ cursor: Cursor, to line: HistoryLine, _ context: String) async throws {
    self.cursor = cursor
    self.line = line
    list = try #require(try await line.service.lists().first)
    self.context = Comment(rawValue: "\(context), \(cursor)")
  }

  /// The expected error: the chain of a pruned version is gone, and cannot be compared.
  private var refusal: ServiceError {
    get throws {
      let head = try #require(list.head.cursor)
      if cursor.version > .zero, cursor.version < list.oldest {
        return .tooOld(
          cursor.version.description, list: .parks, oldest: list.oldest, head: head.version)
      }
      let here = line.cursors[min(cursor.version.number, line.head)]
      return .diverged(cursor, list: .parks, here: here)
    }
  }

  /// Asks every query that accepts a cursor.
  ///
  /// - Returns: the number of answers examined.
  func expectRefusals() async throws -> Int {
    let before = try await line.service.log(of: .parks)
    let count = try await expectRefusedReads() + expectWholeList() + expectRefusedWrites()
    #expect(try await line.service.log(of: .parks) == before, context)
    return count
  }

  private func expectRefusedReads() async throws -> Int {
    let (service, asked) = (line.service, Revision.cursor(cursor))
    let queries: [@Sendable () async throws -> Void] = [
      { _ = try await service.delta(of: .parks, since: asked) },
      { _ = try await service.delta(of: .parks, since: .head, to: asked) },
      { _ = try await service.snapshot(of: .parks, at: asked) },
      { _ = try await service.tag(TagName("t")!, of: .parks, at: asked) },
      { _ = try await service.replay(.parks, from: asked, to: .head) { _ in } },
      { _ = try await VersionSteps(of: service, since: asked) },
      {
        var request = CatchUpRequest(list: .parks, since: asked)
        (request.changeLimit, request.takesSmaller) = (1, true)
        _ = try await service.catchUp(request)
      },
    ]
    let refusal = try refusal
    for query in queries {
      await #expect(throws: refusal, context) { try await query() }
    }
    return queries.count
  }

  /// With a fallback, the answer is the present list, with the reason.
  private func expectWholeList() async throws -> Int {
    var request = CatchUpRequest(list: .parks, since: .cursor(cursor))
    request.fallsBack = true
    guard case .snapshot(let answer) = try await line.service.catchUp(request) else {
      Issue.record("a delta from another history was served, \(context)")
      return 1
    }
    #expect(answer.snapshot == line.snapshots[line.head], context)
    #expect(answer.from == nil && answer.to == list.head, context)
    if case .tooOld = try refusal {
      #expect(answer.reason == .tooOld, context)
    } else {
      #expect(answer.reason == .diverged, context)
    }
    return 1
  }

  private func expectRefusedWrites() async throws -> Int {
    let head = try #require(list.head.cursor)
    let refusal = ServiceError.expectationFailed(
      expected: [.cursor(cursor)], list: .parks, head: head)
    var commit = CommitRequest(list: .parks, snapshot: try .of("another"))
    commit.expected = [.cursor(cursor)]
    // The head itself sent again, as after a lost answer. It would be accepted from the version
    // before.
    var repeated = CommitRequest(list: .parks, snapshot: line.snapshots[line.head])
    repeated.expected = [.cursor(cursor)]
    var edit = CommitRequest(
      list: .parks, edits: [.put(try TestHistory.item("another", 1), .first)])
    edit.expected = [.cursor(cursor)]
    let requests: [@Sendable (SyncService) async throws -> Void] = [
      { [commit] in _ = try await $0.commit(commit) },
      { [repeated] in _ = try await $0.commit(repeated) },
      { [edit] in _ = try await $0.commit(edit) },
      { [commit] in _ = try await $0.preview(commit) },
    ]
    for request in requests {
      await #expect(throws: refusal, context) { try await request(line.service) }
    }
    return requests.count
  }
}
