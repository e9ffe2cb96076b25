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
    var random = SeededRandom(seed: 6)
    var (heads, randoms) = (Samples(), Samples())
    for _ in 0..<max(bench.rounds * 5, 25) {
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
    return [.limit(work, randoms, atMost: 3, of: "reading the head", heads)]
  }
}
