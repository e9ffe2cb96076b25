import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

extension TestStore {
  func commit(_ texts: [String]) async throws {
    var request = CommitRequest(list: .parks, snapshot: try .of(texts))
    request.author = texts.first
    _ = try await service.commit(request)
  }

  /// Reads a range batch by batch.
  func export(
    since: Revision? = nil, to: Revision = .head, batchCount: Int = 3
  ) async throws -> TestRange {
    var request = ExportRequest(list: .parks)
    request.since = since
    request.to = to
    request.batchCount = batchCount
    return try await TestRange(request, from: service)
  }

  /// The export of the same list if its versions before `base` were pruned.
  func export(base: Int) async throws -> TestRange {
    let record = try #require(
      try await service.log(of: .parks).first { $0.version == Version(base) })
    let whole = try await export()
    let items = try await service.snapshot(of: .parks, at: .version(record.version)).snapshot.items
    return TestRange(
      range: BundleHeader(
        list: .parks, idRule: whole.range.idRule, start: .base(record),
        target: whole.range.target),
      parts: items.map { .item($0) } + whole.parts[base...])
  }

  @discardableResult
  func apply(_ range: TestRange, as name: ListName? = nil) async throws -> ApplyOutcome {
    try await service.apply(as: name) { TestRange.Source(range) }
  }
}

/// A store with a random history of a list.
struct RandomHistory {
  let source: TestStore
  /// Of versions 1, 2 …
  private(set) var snapshots: [Snapshot] = []

  init(_ random: inout SeededRandom) async throws {
    source = try TestStore()
    var texts: [String] = []
    for number in 0..<Int.random(in: 1...9, using: &random) {
      texts = Self.edited(texts, &random)
      let snapshot = try Snapshot.of(texts)
      var request = CommitRequest(list: .parks, snapshot: snapshot)
      request.author = Bool.random(using: &random) ? nil : "author \(number)"
      request.message = Bool.random(using: &random) ? nil : ""
      request.allowsEarlierTime = true
      request.time = Timestamp(
        millisecondsSince1970: .random(in: -1_000_000...1_000_000_000_000, using: &random))
      if case .committed = try await source.service.commit(request) {
        snapshots.append(snapshot)
      }
    }
    // There is at least one version.
    if snapshots.isEmpty {
      try await source.commit(["z"])
      snapshots.append(try .of("z"))
    }
  }

  /// The texts after some removals, insertions and updates, in another order.
  private static func edited(_ texts: [String], _ random: inout SeededRandom) -> [String] {
    var texts = texts.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    var ids = Set(texts.map { $0.prefix { $0 != "=" } })
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let id = "\(Int.random(in: 0..<16, using: &random))"
      guard ids.insert(id[...]).inserted else { continue }
      texts.insert(id, at: Int.random(in: 0...texts.count, using: &random))
    }
    for index in texts.indices where Int.random(in: 0..<5, using: &random) == 0 {
      let id = texts[index].prefix { $0 != "=" }
      texts[index] = "\(id)=\(Int.random(in: 0...2, using: &random))"
    }
    if Int.random(in: 0..<3, using: &random) == 0 { texts.shuffle(using: &random) }
    return texts
  }

  /// Checks that another store has the same log, the same snapshots and the same deltas.
  func expectSame(in copy: TestStore, seed: UInt64) async throws {
    let (one, other) = (source.service, copy.service)
    #expect(try await one.log(of: .parks) == other.log(of: .parks), "seed \(seed)")
    #expect(try await other.verify(depth: .everything).faults == [], "seed \(seed)")
    for from in 0...snapshots.count {
      let from = Revision.version(Version(from))
      #expect(
        try await one.snapshot(of: .parks, at: from).snapshot
          == other.snapshot(of: .parks, at: from).snapshot, "seed \(seed)")
      for to in 0...snapshots.count {
        let to = Revision.version(Version(to))
        #expect(
          try await one.delta(of: .parks, since: from, to: to)
            == other.delta(of: .parks, since: from, to: to), "seed \(seed)")
      }
    }
  }
}
