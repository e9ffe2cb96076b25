import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport

/// A list that grows and is pruned, with the values that its store must hold.
struct PrunedWorld {
  /// The ids of all possible items.
  private let ids: [String]
  /// The largest number of versions that a pruning may keep.
  private let versionLimit: Int
  let test: CampaignStore
  /// Reopened now and then.
  private(set) var store: any ListStore
  private var twins = TwinStore()
  private(set) var time = TestStore.noon
  private(set) var pruningCount = 0
  var random: SeededRandom

  /// - Parameter isLong: whether the list and its history are long. Then there are enough changes
  ///   for the store to keep those between distant versions.
  init(seed: UInt64, isLong: Bool, on engine: StoreEngine) throws {
    test = try CampaignStore(engine)
    store = test.store
    random = SeededRandom(seed: seed)
    ids = (0..<(isLong ? 80 : 16)).map { "i\($0)" }
    versionLimit = isLong ? 60 : 6
  }

  var twin: TwinList { twins[.parks] ?? TwinList(.parks) }

  /// With the clock of this world.
  var service: SyncService {
    let time = time
    return SyncService(store: store) { time }
  }

  /// The number of deltas that the store keeps.
  func keptCount() async throws -> Int { try await service.size().keptChangesCount }

  mutating func reopen() throws { store = try test.place.open(.writing) }

  /// Advances the clock by a random time, possibly zero.
  mutating func letTimePass() {
    let hours = Int64([0, 0, 1, 5].randomElement(using: &random) ?? 0)
    time = Timestamp(
      millisecondsSince1970: time.millisecondsSince1970 + hours * 3_600_000)
  }

  mutating func commit() async throws {
    var request = CommitRequest(list: .parks, snapshot: nextSnapshot())
    request.message = "\(twin.head + 1)"
    _ = try await service.commit(request)
    _ = try twins.commit(request, now: time)
  }

  /// The newest list with a few edits, or another list.
  private mutating func nextSnapshot() -> Snapshot {
    var items = twin.items
    if Int.random(in: 0..<(ids.count > 16 ? 2 : 6), using: &random) == 0 {
      items = ids.shuffled(using: &random).prefix(.random(in: 0...ids.count, using: &random)).map {
        KillAct.item($0, .random(in: 0...2, using: &random))
      }
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let id = ids.randomElement(using: &random) else { continue }
      items.removeAll { $0.id == ItemID(id) }
      if Int.random(in: 0..<4, using: &random) == 0 { continue }
      items.insert(
        KillAct.item(id, .random(in: 0...2, using: &random)),
        at: .random(in: 0...items.count, using: &random))
    }
    return Snapshot(uniqueItems: items)
  }

  /// Prunes by count, by age or by both.
  mutating func prune() async throws {
    let isShort = versionLimit < 10
    let least = isShort ? 1 : versionLimit / 2
    let counts: [Int?] = [nil, .random(in: least...versionLimit, using: &random)]
    let periods = (isShort ? ["", "1h", "6h", "2d"] : ["", "8d"]).map { RetentionPeriod($0) }
    guard
      let rule = RetentionRule(
        keepLast: counts.randomElement(using: &random) ?? nil,
        keepWithin: periods.randomElement(using: &random) ?? nil,
        trustsDates: .random(using: &random))
    else { return }
    let request = PruneRequest(list: .parks, rule: rule)
    do {
      _ = try await service.prune(request)
    } catch ServiceError.mayHaveLeapt where !rule.trustsDates {
      // All versions are older than the rule keeps. Nothing was pruned.
      return
    }
    _ = try twins.prune(request, now: time)
    pruningCount += 1
  }
}
