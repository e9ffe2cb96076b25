import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListDocuments

/// Faults that are found only by replaying the list.
@Suite struct BundleReplayTests {
  @Test func replayAcceptsTheBundlesOfRandomHistories() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<100 {
      let history = try BundleHistory.random(&random)
      for first in 0...history.steps.count {
        for form in BundleHistory.Form.allCases where form == .incremental || first != 1 {
          if form == .base, first == 0 { continue }
          try Self.replay(history.events(form, from: form == .full ? 0 : first))
        }
      }
    }
  }

  @Test func stepWithAWrongRootIsRefused() throws {
    let forged = try Self.steps(from: ["a", "b"], .init(inserted: [("c", 2)]), root: .empty)
    Self.expect(try Self.wrongRoot(["a", "b", "c"]), of: forged)
  }

  @Test func rootOfASmallStepOnALongListIsChecked() throws {
    let ids = (0..<40).map { "\($0)" }
    let forged = try Self.steps(from: ids, .init(inserted: [("c", 2)]), root: .empty)
    Self.expect(try Self.wrongRoot(ids[..<2] + ["c"] + ids[2...]), of: forged)
  }

  /// The chain covers no step: the root does, through the list.
  @Test func everyForgedStepIsFoundByTheList() throws {
    let history = try BundleHistory.parks()
    let whole = lines(of: try history.bundle(.full, to: 2))
    for (part, forged) in [
      ("Glacier\"", "Glacies\""), (#""to":3"#, #""to":4"#),
      (#""from":4,"to":0"#, #""from":3,"to":0"#),
      (#"{"id":"acadia","from":2}"#, #"{"id":"acadib","from":2}"#),
      (#""rating":5"#, #""rating":6"#),
    ] {
      var lines = whole
      lines[2] = try lines[2].replacingOnly(part, with: forged)
      let events = try readBundle(sealed(lines)).events
      var replay = BundleReplay()
      #expect(throws: BundleError.self, "\(part)") {
        for event in events { try replay.apply(event) }
      }
    }
  }

  @Test func insertionOfAnItemInTheListIsRefused() throws {
    let twice = try Self.steps(from: ["a", "b"], .init(inserted: [("a", 2)]))
    let found = ListChangesError<ItemID>.duplicateID("a", first: 0, second: 2, side: .new)
    Self.expect(.document(.changes(found), line: 3), of: twice)
    let swapped = try Self.steps(
      from: ["a", "b"], .init(removed: [("a", 0)], inserted: [("a", 1)]))
    Self.expect(.notCanonical(line: 3, version: Version(2)), of: swapped)
  }

  @Test func removalOfADifferentItemIsRefused() throws {
    let other = try Self.steps(from: ["a", "b"], .init(removed: [("b", 0)]))
    Self.expect(.document(.changes(.itemMismatch(index: 0, expected: "b")), line: 3), of: other)
  }

  @Test func replayAcceptsCanonicalMovesOnly() throws {
    // Of two items that swap places, the first is the one that stays.
    let other = try Self.steps(from: ["a", "b"], .init(moved: [("b", 1, 0)]))
    let right = try Self.steps(from: ["a", "b"], .init(moved: [("a", 0, 1)]))
    let outcomes = [other, right].map { events in
      (try? Self.replay(events)) != nil
    }
    #expect(outcomes.filter { $0 }.count == 1)
    let wrong = outcomes[0] ? right : other
    Self.expect(.notCanonical(line: 3, version: Version(2)), of: wrong)
  }

  @Test func updateWithoutAChangedItemIsRefused() throws {
    let same = try Self.steps(from: ["a", "b"], .init(updated: [("a", 0)]))
    Self.expect(.notCanonical(line: 3, version: Version(2)), of: same)
  }

  @Test func baseWithADuplicateItemIsRefused() throws {
    var events = try BundleHistory.parks().events(.base, from: 2)
    events[5] = events[1]
    let found = ListChangesError<ItemID>.duplicateID("denali", first: 0, second: 4, side: .new)
    Self.expect(.document(.changes(found), line: 6), of: events, sorted: false)
  }

  /// Changes by ids; the ids determine the contents.
  private struct Changes {
    var removed: [(String, Int)] = []
    var moved: [(String, Int, Int)] = []
    var inserted: [(String, Int)] = []
    var updated: [(String, Int)] = []
  }

  private static func item(_ id: String) throws -> Item {
    Item(id: ItemID(id), content: try Content(json: #"{"id":"\#(id)"}"#))
  }

  /// The error of a step that promises the root of the empty list, and leads to these ids.
  private static func wrongRoot(_ ids: [String]) throws -> BundleError {
    let found = Root(of: try Snapshot(ids.map(item)))
    return .document(.wrongResult(expected: .empty, found: found), line: 3)
  }

  /// A full bundle's events: version 1 with ids, and any step.
  ///
  /// - Parameter root: the root in the step; nil for that of the resulting list, if there
  ///   is one.
  private static func steps(
    from ids: [String], _ changes: Changes, root: Root? = nil
  ) throws -> [BundleEvent] {
    var history = BundleHistory()
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 0))
    let old = try Snapshot(ids.map(item))
    history.commit(old, note)
    let bare = BareChanges(
      oldCount: ids.count, newCount: ids.count + changes.inserted.count - changes.removed.count,
      removed: changes.removed.map { .init(id: ItemID($0.0), from: $0.1) },
      moved: changes.moved.map { .init(id: ItemID($0.0), from: $0.1, to: $0.2) },
      inserted: try changes.inserted.map { .init(item: try item($0.0), to: $0.1) },
      updated: try changes.updated.map { .init(item: try item($0.0), from: $0.1, to: $0.1) })
    let new = try? old.applying(bare.completed { old.items[$0] })
    let sum = root ?? new.map { Root(of: $0) } ?? .empty
    let before = history.states[1]
    let end = VersionHeader(
      version: Version(2), note: note, root: sum, previous: before.chain ?? .zero)
    let step = DeltaDocument(
      list: Parks.name, from: before, to: ListState(end, count: bare.newCount), oldest: nil,
      changes: bare)
    let header = BundleHeader(list: Parks.name, idRule: nil, start: .zero, target: step.to)
    return [.header(header), .step(history.steps[0]), .step(step)]
  }

  /// Reads the bundle of events back and replays it.
  private static func replay(_ events: [BundleEvent]) throws {
    var replay = BundleReplay()
    for event in try readBundle(written(events).bytes).events { try replay.apply(event) }
  }

  /// - Parameter sorted: whether the bundle's reader accepts the events.
  private static func expect(
    _ error: BundleError, of events: [BundleEvent], sorted: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: error, sourceLocation: sourceLocation) {
      if sorted { return try replay(events) }
      var replay = BundleReplay()
      for event in events { try replay.apply(event) }
    }
  }
}
