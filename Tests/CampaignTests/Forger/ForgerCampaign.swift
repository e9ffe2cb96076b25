import Foundation
import ListChanges
import ListDocuments
import ListModel
import StoreTestSupport
import SyncClient
import SyncService
import TestSupport
import Testing

/// A forger attacks the former checksum and succeeds, and with the result everything that a root
/// proves now, and fails.
@Suite struct ForgerCampaign {
  /// A list with a first item that says `"allowed":false`, and a forgery of it in which this is
  /// true; both have the same former checksum. Vectors of other languages have them too.
  private static func lists() throws -> (original: [Item], forged: [Item]) {
    let url = Project.root.appendingPathComponent("Tests/Conformance/roots.json")
    let vectors = try JSONValue(parsing: Data(contentsOf: url))["vectors"]?.elements ?? []
    func items(_ name: String) throws -> [Item] {
      let vector = try #require(vectors.first { $0["name"]?.text == name })
      return try (vector["items"]?.elements ?? []).map { pair in
        let texts = (pair.elements ?? []).compactMap(\.text)
        try #require(texts.count == 2)
        return Item(id: ItemID(texts[0]), content: try Content(json: texts[1]))
      }
    }
    return (try items("a list that was forged"), try items("a forgery with its former checksum"))
  }

  private static func filler(_ number: Int) -> [UInt8] { Array(#"{"n":\#(number)}"#.utf8) }

  /// Forges a list of 2^levels + 1 items, whose former checksum is taken modulo 2^bits.
  private static func forgery(_ forger: Forger, of original: [Item]) throws -> [Item]? {
    let ids = original.map(\.id)
    let allowed = try Content(json: #"{"allowed":true}"#)
    let first = FormerChecksum.term(of: ids[0], allowed.bytes, after: nil)
    let target =
      FormerChecksum.sum(of: original) &- (UInt128(first.high) << 64 | UInt128(first.low))
    let chosen = forger.choose(
      target: (UInt64(truncatingIfNeeded: target >> 64), UInt64(truncatingIfNeeded: target))
    ) { item, variant in
      FormerChecksum.term(of: ids[item + 1], filler(variant), after: ids[item])
    }
    guard let chosen else { return nil }
    return [Item(id: ids[0], content: allowed)]
      + zip(ids.dropFirst(), chosen).map { id, number in
        Item(id: id, content: Content(canonicalBytes: filler(number)))
      }
  }

  @Test func anAttackFindsAnotherListWithTheSameFormerChecksum() throws {
    let whole = try Self.lists().original
    var forgers = [Forger(bits: 48, levels: 6), Forger(bits: 64, levels: 7, variants: 384)]
    // Some seconds in an optimised build.
    if Campaign.isLong { forgers.append(Forger(bits: 128, levels: 10)) }
    for forger in forgers {
      let original = Array(whole.prefix(forger.items + 1))
      let forged = try #require(try Self.forgery(forger, of: original), "\(forger)")
      let mask = UInt128.max >> (128 - forger.bits)
      #expect(
        FormerChecksum.sum(of: original) & mask == FormerChecksum.sum(of: forged) & mask)
      #expect(RootTree(of: original).root != RootTree(of: forged).root)
      #expect(forged[0].content.description == #"{"allowed":true}"#)
    }
  }

  @Test func theForgedListHasTheWholeFormerChecksumAndAnotherRoot() throws {
    let (original, forged) = try Self.lists()
    #expect(original.map(\.id) == forged.map(\.id))
    #expect(original[0].content.description == #"{"allowed":false}"#)
    #expect(forged[0].content.description == #"{"allowed":true}"#)
    #expect(FormerChecksum.sum(of: original) == FormerChecksum.sum(of: forged))
    #expect(RootTree(of: original).root != RootTree(of: forged).root)
  }

  // MARK: What a root proves

  /// The state of a list as version 1 of a history.
  private static func state(_ items: [Item], author: String = "Ann") -> ListState {
    let note = CommitNote(time: TestStore.noon, author: author)
    return ListState(
      VersionHeader(
        version: Version(1), note: note, root: RootTree(of: items).root, previous: .zero),
      count: items.count)
  }

  @Test func aDocumentDoesNotTakeTheForgedListUnderTheCursorOfTheOriginal() throws {
    let (original, forged) = try Self.lists()
    func document(_ items: [Item]) -> String {
      let delta = SnapshotDelta(
        list: .parks, from: .zero, to: Self.state(items), oldest: Version(1),
        snapshot: Snapshot(uniqueItems: items), reason: .first)
      return String(decoding: delta.encoded(.line), as: UTF8.self)
    }
    let (sound, mended) = (document(original), document(forged))
    _ = try SnapshotDelta(Array(sound.utf8))
    _ = try SnapshotDelta(Array(mended.utf8))
    // The items alone; then their root with them.
    let tail = try #require(mended.range(of: #","oldest""#))
    let head = try #require(sound.range(of: #","oldest""#))
    let exchanged = sound[..<head.lowerBound] + mended[tail.lowerBound...]
    let (real, wrong) = (Self.state(original), Self.state(forged))
    #expect(throws: DeltaError.wrongResult(expected: real.root, found: wrong.root)) {
      try SnapshotDelta(Array(exchanged.utf8))
    }
    let withRoot = exchanged.replacingOccurrences(
      of: real.root.description, with: wrong.root.description)
    #expect(
      throws: DeltaError.malformed(
        at: JSONPointer(tokens: ["to", "cursor"]),
        expected: "the cursor that follows from the members beside it")
    ) { try SnapshotDelta(Array(withRoot.utf8)) }
    // With all of it mended, the cursor is another one.
    #expect(real.knownCursor != wrong.knownCursor)
  }

  @Test func aProofDoesNotTakeAnItemOfTheForgedList() throws {
    let (original, forged) = try Self.lists()
    let cursor = Self.state(original).knownCursor
    let sound = ListProof(
      .parks, itemAt: 0, of: Snapshot(uniqueItems: original), states: [Self.state(original)])
    try sound.check(against: cursor)
    let bad = ListProof(
      .parks, itemAt: 0, of: Snapshot(uniqueItems: forged), states: [Self.state(forged)])
    #expect(throws: ProofError.otherCursor(cursor, found: Self.state(forged).knownCursor)) {
      try bad.check(against: cursor)
    }
    let mixed = ListProof(
      .parks, itemAt: 0, of: Snapshot(uniqueItems: forged), states: [Self.state(original)])
    #expect(throws: ProofError.self) { try mixed.check(against: cursor) }
  }

  // MARK: What a kept cursor proves

  /// A history of four versions with a list at one of them.
  private static func history(_ list: [Item], at place: Int, pruned: Bool) async throws -> TestStore
  {
    let store = try TestStore()
    let lists = try (1...4).map { version in
      version == place ? list : try Snapshot.of("a", "b=\(version)").items
    }
    for items in lists {
      _ = try await store.service.commit(.init(list: .parks, snapshot: Snapshot(items)))
    }
    if pruned {
      let rule = try #require(RetentionRule(keepLast: 3))
      _ = try await store.service.prune(PruneRequest(list: .parks, rule: rule))
    }
    return store
  }

  /// A base, a middle version and a head are exchanged, with all digests, counts, roots, chains and
  /// cursors mended: the store agrees with itself, and not with the cursors that were kept.
  @Test(arguments: [(2, true), (3, true), (3, false), (4, false), (1, false)])
  func anExchangedVersionIsFoundByTheCursorsThatWereKept(place: Int, pruned: Bool) async throws {
    let (original, forged) = try Self.lists()
    let honest = try await Self.history(original, at: place, pruned: pruned)
    let forger = try await Self.history(forged, at: place, pruned: pruned)
    let kept = try await honest.service.log(of: .parks).map(\.cursor)
    for store in [honest, forger] {
      #expect(try await store.service.verify(depth: .everything).faults == [])
    }
    try await honest.service.compare(kept, withHistoryOf: .parks)
    let here = try await forger.service.log(of: .parks).map(\.cursor)
    func cursor(_ cursors: [Cursor], _ version: Int) throws -> Cursor {
      try #require(cursors.first { $0.version == Version(version) })
    }
    let last = Version(place == (pruned ? 2 : 1) ? 0 : place - 1)
    let expected = Divergence.otherCursor(
      try cursor(here, place), kept: try cursor(kept, place), after: last)
    await #expect(throws: expected) {
      try await forger.service.compare(kept, withHistoryOf: .parks)
    }
    // The newest cursor alone notices it too.
    await #expect(throws: Divergence.self) {
      try await forger.service.compare([kept[0]], withHistoryOf: .parks)
    }
    try await Self.judgeBundle(of: forger, kept, expected)
  }

  /// The bundle of the forged history agrees with itself too, and is told apart by the cursors.
  private static func judgeBundle(
    of store: TestStore, _ kept: [Cursor], _ expected: Divergence
  ) async throws {
    let range = try await TestRange(ExportRequest(list: .parks), from: store.service)
    let copy = try TestStore()
    _ = try await copy.service.apply { TestRange.Source(range) }
    await #expect(throws: expected) {
      try await copy.service.compare(kept, withHistoryOf: .parks)
    }
    #expect(throws: expected) {
      var comparison = HistoryComparison(kept)
      try comparison.compare(range.range.startState.knownCursor)
      for case .step(let step) in range.parts { try comparison.compare(step.to.knownCursor) }
      try comparison.finish()
    }
  }

  @Test func aReplicaWithTheForgedListIsRefusedOrHasAnotherCursor() throws {
    let (original, forged) = try Self.lists()
    let (real, forger) = (Self.state(original), Self.state(forged))
    #expect(throws: Mismatch.self) {
      try ListCopy(state: real, snapshot: Snapshot(uniqueItems: forged))
    }
    let text = real.document.replacingOccurrences(
      of: real.root.description, with: forger.root.description)
    #expect(ListState(document: text) == nil)
    var comparison = HistoryComparison([real.knownCursor])
    #expect(throws: Divergence.self) { try comparison.compare(forger.knownCursor) }
  }
}
