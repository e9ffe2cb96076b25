import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

/// Items that got other ids, and their histories.
@Suite struct SameItemCommitTests {
  private let test: TestStore

  init() throws { test = try TestStore() }

  private func commit(
    _ texts: String..., same: [(String, String)] = [], message: String? = nil
  ) async throws {
    var request = CommitRequest(list: .parks, snapshot: try .of(texts))
    request.message = message
    request.identify(same.map { SameItem(old: ItemID($0), new: ItemID($1)) })
    _ = try await test.service.commit(request)
  }

  /// Versions, and the ids that they had then.
  private func history(of id: ItemID) async throws -> [String] {
    let changes = Mutex<[String]>([])
    try await test.service.continuedHistory(of: id, in: .parks) {
      changes.withLock { $0 = [] }
    } receive: { change in
      let sign = change.from == nil ? "+" : change.to == nil ? "-" : "~"
      let text = "\(change.record.version)\(sign)\(change.formerID ?? id)"
      changes.withLock { $0.append(text) }
      return true
    }
    return changes.withLock(\.self)
  }

  @Test func historyGoesOnWithTheFormerIDs() async throws {
    try await commit("a", "x")
    try await commit("a=1", "x")
    try await commit("b=1", "x", same: [("a", "b")])
    try await commit("b=2", "x")
    try await commit("c d=2", "x", same: [("b", "c d")], message: "Names")
    #expect(try await history(of: "c d") == ["5+c d", "4~b", "3+b", "2~a", "1+a"])
    #expect(try await history(of: "b") == ["5-b", "4~b", "3+b", "2~a", "1+a"])
    #expect(try await history(of: "a") == ["3-a", "2~a", "1+a"])
    #expect(try await history(of: "x") == ["1+x"])
    let note = try await test.service.log(of: .parks, limit: 1)[0].note
    #expect(note.text == "Names" && note.sameItems == [SameItem(old: "b", new: "c d")])
  }

  @Test func idThatReturnsHasEachChangeOnce() async throws {
    try await commit("a")
    try await commit("b", same: [("a", "b")])
    try await commit("a", same: [("b", "a")])
    try await commit("b", same: [("a", "b")])
    try await commit("a=1", same: [("b", "a")])
    #expect(
      try await history(of: "a") == ["5+a", "4+b", "4-a", "3+a", "3-b", "2+b", "2-a", "1+a"])
  }

  @Test func earlierItemsOfTheSameIDStayInTheHistory() async throws {
    try await commit("a", "n")
    try await commit("a=1")
    try await commit("n", same: [("a", "n")])
    #expect(try await history(of: "n") == ["3+n", "2-n", "2~a", "1+n", "1+a"])
  }

  @Test func lineWithoutAnInsertionIsNotFollowed() async throws {
    try await commit("a", "b")
    try await commit("a", "b=1", message: "Hm\n\nSame-Item: [\"a\",\"b\"]")
    #expect(try await history(of: "b") == ["2~b", "1+b"])
  }

  @Test(
    arguments: [
      ("z", "c", .oldIsAbsent), ("b", "c", .oldStays), ("a", "b", .newWasThere),
      ("a", "z", .newIsAbsent),
    ] as [(String, String, OtherIDFault)])
  func itemThatCannotHaveAnotherIDIsRefused(
    old: String, new: String, reason: OtherIDFault
  ) async throws {
    try await commit("a", "b")
    let before = try await StoreAnswers(of: test.service)
    let same = SameItem(old: ItemID(old), new: ItemID(new))
    await #expect(throws: ServiceError.notSame(same, list: .parks, reason: reason)) {
      try await commit("b", "c", same: [(old, new)])
    }
    #expect(try await StoreAnswers(of: test.service) == before)
  }

  @Test func firstVersionAndAnUnchangedListGiveNoOtherIDs() async throws {
    await #expect(throws: ServiceError.self) { try await commit("a", same: [("b", "a")]) }
    try await commit("a")
    await #expect(throws: ServiceError.self) { try await commit("a", same: [("b", "a")]) }
    #expect(try await test.service.log(of: .parks).count == 1)
  }

  @Test func repeatedCommitIsTheOwnOne() async throws {
    try await commit("a")
    var request = CommitRequest(list: .parks, snapshot: try .of("b"))
    request.expected = [.version(Version(1))]
    request.identify([SameItem(old: "a", new: "b")])
    let first = try await test.service.commit(request)
    let again = try await test.service.commit(request)
    #expect(first.state == again.state)
    guard case .found(_, isOwn: true) = again else { return #expect(Bool(false), "\(again)") }
  }

  @Test func mergedCommitKeepsItsLines() async throws {
    try await commit("a", "x")
    try await commit("a", "x", "y")
    var request = CommitRequest(list: .parks, snapshot: try .of("b", "x"))
    request.merge(from: .version(Version(1)))
    request.identify([SameItem(old: "a", new: "b")])
    let record = try #require(try await test.service.commit(request).newRecord)
    #expect(record.note.merge != nil && record.note.text == "Give an item another id")
    #expect(try await history(of: "b") == ["3+b", "1+a"])
  }
}
