import ListModel
import SyncService
import TestSupport

/// Row 6.
struct RandomVersion: Row {
  static let number = 6
  static let title = "snapshot at a random version"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let built = try await bench.stores.deep()
    let service = try ParkStore(path: built.path).service
    let bare = try BareDatabase(path: built.path)
    var random = SeededRandom(seed: 6)
    var (heads, randoms, bares) = (Samples(), Samples(), Samples())
    for _ in 0..<max(bench.rounds * 5, 25) {
      bares.add(try Clock.measure { try readItems(bare, built.itemCount) }.1)
      heads.add(try await Clock.measureAsync { try await service.snapshot(of: ParkStore.list) }.1)
      let version = Version(Int.random(in: 1...built.versionCount, using: &random))
      randoms.add(
        try await Clock.measureAsync {
          try await service.snapshot(of: ParkStore.list, at: .version(version))
        }.1)
    }
    let work = """
      snapshot at a random one of \(Figures.count(built.versionCount)) versions of \
      \(Figures.count(built.itemCount)) items
      """
    return [
      .limit(work, randoms, atMost: 3, of: "reading the head", heads),
      Finding(
        work: "reading the head, against its ids and contents read by one bare statement",
        goal: "", measured: Figures.ratio(heads.median / bares.median), outcome: .told,
        figures: "bare \(bares)"),
    ]
  }

  /// Reads the items that came first: as many texts as the head has, in the order in which they
  /// lie.
  private func readItems(_ database: BareDatabase, _ count: Int) throws {
    let statement = try database.prepare(
      """
      SELECT id, content FROM changes WHERE change_id >= 1 << 32
      ORDER BY change_id LIMIT \(count)
      """)
    var byteCount = 0
    while try statement.step() { byteCount += statement.text(0).count + statement.text(1).count }
    precondition(byteCount > 0, "a list has items")
  }
}
