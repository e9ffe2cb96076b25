import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Testing

/// Requests that are sent again because their answer was lost, while others commit.
@Suite struct RepeatedCommitTests {
  /// A change of the list a, b=1, c, d, in each form.
  enum Change: CaseIterable {
    case whole, changesWithEnd, changesWithoutEnd, unneededMoves, put, putAtAPlace, swap, removal
    case removalAndReturn, revert, relativeRevert

    func content(from start: ListState) throws -> CommitRequest.Content {
      let old = try Snapshot.of("a", "b=1", "c", "d")
      func changes(to texts: String...) throws -> ChangeSet<Item> {
        old.changes(to: try .of(texts))
      }
      func item(_ text: String) throws -> Item { try Snapshot.of(text).items[0] }
      switch self {
      case .whole: return .snapshot(try .of("d", "a=5", "b=1"))
      case .changesWithEnd:
        let end = ListState(of: try .of("d", "a=5", "b=1"))
        return .changes(BareChanges(try changes(to: "d", "a=5", "b=1")), from: start, to: end)
      case .changesWithoutEnd:
        return .changes(BareChanges(try changes(to: "d", "e", "b=1")), from: start, to: nil)
      case .unneededMoves:
        // The canonical form moves only d, and does not update c.
        return .changes(
          BareChanges(
            oldCount: 4, newCount: nil, removed: [],
            moved: [
              .init(id: "a", from: 0, to: 1), .init(id: "b", from: 1, to: 2),
              .init(id: "c", from: 2, to: 3),
            ], inserted: [], updated: [.init(item: try item("c"), from: 2, to: 3)]),
          from: start, to: nil)
      case .put: return .edits([.put(try item("c=2"), nil)])
      case .putAtAPlace: return .edits([.put(try item("e"), .after("a"))])
      case .swap: return .edits([.move("a", .after("b"))])
      case .removal: return .edits([.remove("c"), .remove("a")])
      case .removalAndReturn: return .edits([.remove("b"), .put(try item("b=3"), .first)])
      case .revert: return .revert(to: .version(Version(1)))
      case .relativeRevert: return .revert(to: .head(back: 1))
      }
    }
  }

  /// A store whose list is at version 2, and that state.
  private func store() async throws -> (TestStore, ListState) {
    let test = try TestStore()
    _ = try await commit(test, "x")
    return (test, try await commit(test, "a", "b=1", "c", "d"))
  }

  private func commit(_ test: TestStore, _ texts: String...) async throws -> ListState {
    try await test.service.commit(.init(list: .parks, snapshot: try .of(texts))).state
  }

  private func request(
    _ content: CommitRequest.Content, for start: ListState, author: String? = "Ann"
  ) throws -> CommitRequest {
    var request = CommitRequest(list: .parks, content)
    request.expected = [.cursor(try #require(start.cursor))]
    request.author = author
    return request
  }

  private func expectRefusal(_ request: CommitRequest, _ test: TestStore) async {
    await #expect {
      _ = try await test.service.commit(request)
    } throws: { error in
      switch error as? ServiceError {
      case .expectationFailed, .notTheStart: true
      default: false
      }
    }
  }

  /// A former fault: it was told to make its change again once somebody else had committed.
  @Test(arguments: Change.allCases)
  func repeatedRequestIsToldThatItWorkedWhateverOthersCommitted(_ change: Change) async throws {
    let (test, start) = try await store()
    let own = try request(try change.content(from: start), for: start)
    guard case .committed(let made) = try await test.service.commit(own) else {
      Issue.record("\(change) makes no version")
      return
    }
    for texts in [["a", "q"], ["b"], []] {
      #expect(try await test.service.commit(own) == .found(made, isOwn: true), "\(texts)")
      #expect(try await test.service.preview(own).changes.isEmpty)
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    #expect(try await test.service.commit(own) == .found(made, isOwn: true))
    #expect(try await test.service.log(of: .parks).count == 6)
  }

  @Test(arguments: Change.allCases)
  func equalChangeOfAnotherAuthorIsToldApart(_ change: Change) async throws {
    let (test, start) = try await store()
    let content = try change.content(from: start)
    var own = try request(content, for: start)
    own.message = "Why"
    guard case .committed(let made) = try await test.service.commit(own) else { return }
    for (author, message) in [("Ben", "Why"), (nil, "Why"), ("Ann", nil), ("Ann", "Why not")] {
      var other = try request(content, for: start, author: author)
      other.message = message
      #expect(try await test.service.commit(other) == .found(made, isOwn: false))
    }
    #expect(try await test.service.commit(own) == .found(made, isOwn: true))
  }

  @Test(arguments: Change.allCases)
  func requestThatWasNotCarriedOutIsRefused(_ change: Change) async throws {
    let (test, start) = try await store()
    let own = try request(try change.content(from: start), for: start)
    // Others changed the same items, and later made what the request asks for.
    _ = try await commit(test, "a=9", "b=9", "c=9", "d=9")
    await expectRefusal(own, test)
    let later = try await commit(test, "a", "b=1", "c", "d")
    _ = try await test.service.commit(
      try request(try change.content(from: later), for: later))
    await expectRefusal(own, test)
    var unknown = own
    unknown.expected = [.cursor(Cursor("2-00000000000000000000000000000000")!)]
    await expectRefusal(unknown, test)
  }

  @Test func firstCommitIsToldThatItWorked() async throws {
    let test = try TestStore()
    var first = CommitRequest(list: .parks, snapshot: try .of("a"))
    first.expected = [.version(.zero)]
    guard case .committed(let made) = try await test.service.commit(first) else { return }
    _ = try await commit(test, "b")
    #expect(try await test.service.commit(first) == .found(made, isOwn: true))
    var other = CommitRequest(list: .parks, snapshot: try .of("c"))
    other.expected = [.version(.zero)]
    await expectRefusal(other, test)
  }

  @Test func repeatedRequestStoresNoRuleOrLimit() async throws {
    let (test, start) = try await store()
    var own = try request(.snapshot(try .of("a")), for: start)
    (own.idRule, own.limits[.removed]) = (#"["id"]"#, .count(9))
    _ = try await test.service.commit(own)
    var other = CommitRequest(list: .parks, snapshot: try .of("b"))
    (other.idRule, other.limits[.removed]) = (#"["key"]"#, .count(5))
    other.allowsNewIDs = true
    _ = try await test.service.commit(other)
    _ = try await test.service.commit(own)
    #expect(try await test.service.idRule(of: .parks) == #"["key"]"#)
    #expect(try await test.service.lists().first?.limits[.removed] == .count(5))
  }

  /// Changes that name no cursor may have been made at the version before the head only.
  @Test func changesWithoutACursorAreComparedWithTheHead() async throws {
    let (test, start) = try await store()
    let unnamed = ListState(cursor: nil, count: start.count, root: start.root)
    let own = CommitRequest(list: .parks, try Change.changesWithEnd.content(from: unnamed))
    guard case .committed(let made) = try await test.service.commit(own) else { return }
    #expect(try await test.service.commit(own) == .found(made, isOwn: true))
    _ = try await commit(test, "q")
    await expectRefusal(own, test)
  }
}
