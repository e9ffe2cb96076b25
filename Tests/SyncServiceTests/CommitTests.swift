import ListChanges
import ListModel
import StoreTestSupport
import SyncService
import Testing

@Suite struct CommitTests {
  private func commit(
    _ test: TestStore, _ texts: String..., expect: String? = nil
  ) async throws -> CommitOutcome {
    var request = CommitRequest(list: .parks, snapshot: try .of(texts))
    request.expected = try expect.map { [try #require(Revision($0))] } ?? []
    return try await test.service.commit(request)
  }

  @Test func versionsAreNumberedFromOneWithoutGaps() async throws {
    let test = try TestStore()
    for texts in [["a"], ["a", "b"], [], ["b", "a"]] {
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    let log = try await test.service.log(of: .parks)
    #expect(log.map(\.version.number) == [4, 3, 2, 1])
    #expect(log.map(\.count) == [2, 0, 2, 1])
    #expect(log.allSatisfy { $0.note.time == TestStore.noon })
  }

  @Test func unchangedSnapshotCreatesNoVersion() async throws {
    let test = try TestStore()
    let first = try await commit(test, "a", "b=1")
    let second = try await commit(test, "a", "b=1")
    #expect(second == .unchanged(first.state))
    let third = try await commit(test, "b=1", "a")
    #expect(third.state.cursor?.version == Version(2))
  }

  @Test func emptySnapshotCreatesAListAtVersionZero() async throws {
    let test = try TestStore()
    #expect(try await commit(test) == .unchanged(.zero))
    #expect(try await test.service.lists().map(\.head) == [.zero])
    #expect(try await test.service.log(of: .parks) == [])
    #expect(try await test.service.snapshot(of: .parks).snapshot == .empty)
  }

  @Test func aCommitThatExpectsAnotherHeadIsRefusedAndChangesNothing() async throws {
    let test = try TestStore()
    let first = try await commit(test, "a", expect: "0")
    let cursor = try #require(first.state.cursor)
    _ = try await commit(test, "a", "b", expect: cursor.description)
    let head = try #require(try await test.service.lists().first?.head.cursor)
    for stale in ["0", "1", cursor.description, "2-00000000000000000000000000000000", "3"] {
      await #expect(
        throws: ServiceError.expectationFailed(
          expected: [try #require(Revision(stale))], list: .parks, head: head)
      ) { try await commit(test, "c", expect: stale) }
    }
    #expect(try await test.service.lists().first?.head.cursor == head)
    _ = try await commit(test, "c", expect: "2")
  }

  @Test func repeatedRemovalAfterALostAnswerIsAccepted() async throws {
    let test = try TestStore()
    let first = try await test.service.commit(
      CommitRequest(list: .parks, snapshot: try .of("a", "b", "c", "d")))
    let cursor = try #require(first.state.cursor)
    func removal(_ ids: ItemID...) -> CommitRequest {
      var request = CommitRequest(list: .parks, edits: ids.map { .remove($0) })
      request.expected = [.cursor(cursor)]
      return request
    }
    let second = try await test.service.commit(removal("b", "c")).state
    guard case .found(let found, isOwn: true) = try await test.service.commit(removal("b", "c"))
    else {
      Issue.record("the repeated removal made a version")
      return
    }
    #expect(found.state == second)
    // Another removal at the same version has not been done.
    for request in [removal("a"), removal("c"), removal("b", "x")] {
      await #expect(throws: ServiceError.self) { try await test.service.commit(request) }
    }
  }

  @Test func repeatedCommitAfterALostAnswerIsAccepted() async throws {
    let test = try TestStore()
    let first = try await commit(test, "a")
    let cursor = try #require(first.state.cursor).description
    let second = try await commit(test, "b", expect: cursor)
    guard case .committed(let record) = second else { return }
    #expect(try await commit(test, "b", expect: cursor) == .found(record, isOwn: true))
    _ = try await commit(test, "c")
    await #expect(throws: ServiceError.self) { try await commit(test, "c", expect: cursor) }
  }

  @Test func refusedFirstCommitCreatesNoList() async throws {
    let test = try TestStore()
    await #expect(throws: ServiceError.self) { try await commit(test, "a", expect: "1") }
    #expect(try await test.service.lists() == [])
  }

  @Test func commitKeepsAuthorTimeAndMessage() async throws {
    let test = try TestStore()
    var request = CommitRequest(list: .parks, snapshot: try .of("a"))
    (request.author, request.message) = ("Ada", "first")
    request.time = Timestamp(millisecondsSince1970: -1)
    _ = try await test.service.commit(request)
    let record = try #require(try await test.service.log(of: .parks).first)
    let time = Timestamp(millisecondsSince1970: -1)
    #expect(record.note == CommitNote(time: time, author: "Ada", message: "first"))
  }

  @Test func unchangedCommitStillStoresTheIDRule() async throws {
    let test = try TestStore()
    for (rule, expected) in [(#"["a"]"#, #"["a"]"#), (nil, #"["a"]"#), (#"["b"]"#, #"["b"]"#)] {
      var request = CommitRequest(list: .parks, snapshot: try .of("a"))
      request.idRule = rule
      _ = try await test.service.commit(request)
      #expect(try await test.service.idRule(of: .parks) == expected)
    }
  }

  @Test func titlePathIsStoredUntilAnotherIsGiven() async throws {
    let test = try TestStore()
    #expect(try await test.service.titlePath(of: .parks) == nil)
    for (text, expected) in [(nil, nil), ("/a/b", "/a/b"), (nil, "/a/b"), ("", "")]
      as [(String?, String?)]
    {
      var request = CommitRequest(list: .parks, snapshot: try .of("a"))
      request.titlePath = text.flatMap(JSONPointer.init)
      _ = try await test.service.commit(request)
      #expect(try await test.service.titlePath(of: .parks)?.description == expected)
    }
  }

  @Test func previewReturnsTheChangesWithoutCommitting() async throws {
    let test = try TestStore()
    let request = CommitRequest(list: .parks, snapshot: try .of("a", "b"))
    let first = try await test.service.preview(request)
    #expect(first.changes.inserted.count == 2)
    #expect(try await test.service.lists() == [])
    _ = try await test.service.commit(request)
    let second = try await test.service.preview(
      .init(list: .parks, snapshot: try .of("b=1", "c")))
    #expect(ChangeCounts(second.changes) == .init(removed: 1, moved: 0, inserted: 1, updated: 1))
    #expect(try await test.service.log(of: .parks).count == 1)
  }

  @Test func equalHistoriesInTwoStoresHaveEqualChains() async throws {
    let (one, other) = (try TestStore(), try TestStore())
    for test in [one, other] {
      // Earlier rows of other lists must not affect a list's chain.
      if test === other {
        _ = try await test.service.commit(
          .init(list: ListName("films")!, snapshot: try .of("x", "y")))
      }
      for texts in [["a", "b"], ["b=1", "a"], ["c", "b=1"], ["a", "b"]] {
        _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
      }
    }
    #expect(try await one.service.log(of: .parks) == other.service.log(of: .parks))
  }

  @Test func oneOfManyCommitsThatExpectTheSameHeadWins() async throws {
    let test = try TestStore()
    _ = try await commit(test, "a")
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask { (try? await commit(test, "a", "b\(number)", expect: "1")) != nil }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 } == 1)
    #expect(try await test.service.log(of: .parks).count == 2)
  }

  @Test func givenTimeBeforeTheHeadsIsRefusedUnlessAllowed() async throws {
    let test = try TestStore()
    _ = try await commit(test, "a")
    let time = Timestamp(millisecondsSince1970: TestStore.noon.millisecondsSince1970 - 1)
    var request = CommitRequest(list: .parks, snapshot: try .of("b"))
    request.time = time
    let refusal = ServiceError.datedBeforeHead(
      time, list: .parks, head: Version(1), time: TestStore.noon)
    await #expect(throws: refusal) { try await test.service.commit(request) }
    await #expect(throws: refusal) { try await test.service.preview(request) }
    #expect(try await test.service.log(of: .parks).count == 1)
    request.allowsEarlierTime = true
    #expect(try await test.service.commit(request).state.cursor?.version == Version(2))
  }

  @Test func clockThatWentBackAndAnUnchangedListAreAccepted() async throws {
    let test = try TestStore()
    var first = CommitRequest(list: .parks, snapshot: try .of("a"))
    first.time = Timestamp(millisecondsSince1970: TestStore.noon.millisecondsSince1970 + 1)
    _ = try await test.service.commit(first)
    var same = CommitRequest(list: .parks, snapshot: try .of("a"))
    same.time = Timestamp(millisecondsSince1970: 0)
    guard case .unchanged = try await test.service.commit(same) else {
      Issue.record("an equal list made a version")
      return
    }
    // The service's clock is still at noon.
    #expect(try await commit(test, "b").state.cursor?.version == Version(2))
  }
}
