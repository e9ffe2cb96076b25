import ListChanges
import TestSupport
import Testing

/// Comparisons with trusted ids, and with ids that are not `Sendable`.
@Suite struct TrustedIDsTests {
  /// An id that must not leave its task.
  private final class Tag: Hashable, CustomStringConvertible {
    var text: String
    init(_ text: String) { self.text = text }
    var description: String { text }
    static func == (a: Tag, b: Tag) -> Bool { a.text == b.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
  }

  private struct Tagged: Identifiable, Equatable {
    let id: Tag
    var stars = 0
  }

  private func tagged(_ text: String) -> [Tagged] { text.map { Tagged(id: Tag("\($0)")) } }

  /// No call here needs `try`.
  @Test func trustedIDsGiveTheCheckedChangesWithoutThrowing() {
    for pair in ListPair.smallAndRandom() {
      let changes = pair.old.changes(to: pair.new, ids: .trusted)
      #expect(changes == (try? pair.changes()), "\(pair)")
      let keyed = pair.old.changes(to: pair.new, id: \.id, ids: .trusted)
      #expect(keyed.updated.map(\.new.content) == changes.updated.map(\.new), "\(pair)")
    }
  }

  @Test func cancelledComparisonOfTrustedIDsReturnsNil() {
    let old = (0..<50_000).map { Pair(id: $0, value: 0) }
    #expect(old.changes(to: old.reversed(), ids: .trusted, isCancelled: { true }) == nil)
    #expect(old.changes(to: old, ids: .trusted, isCancelled: { false })?.isEmpty == true)
  }

  @Test func changesOfNonSendableIDsAreComputedAndApplied() throws {
    let (old, new) = (tagged("abcd"), tagged("dbce"))
    let changes = try old.changes(to: new)
    #expect(changes == old.changes(to: new, ids: .trusted))
    #expect(try old.applying(changes) == new)
    #expect(changes.batchUpdates().moved == [IndexMove(from: 3, to: 0)])
  }

  @Test func errorGivesANonSendableIDAsText() throws {
    let (old, new) = (tagged("abcd"), tagged("dbce"))
    #expect(throws: ListChangesError<String>.duplicateID("a", first: 0, second: 2, side: .new)) {
      try old.changes(to: tagged("aba"))
    }
    let changes = try old.changes(to: new)
    #expect(throws: ListChangesError<String>.itemMismatch(index: 0, expected: "a")) {
      try tagged("xbcd").applying(changes)
    }
  }
}
