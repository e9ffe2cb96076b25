import ListChanges
import ListModel
import SyncService

/// Row 4.
struct SingleDelta: Row {
  static let number = 4
  static let title = "delta since N, 100 changes in one version, in process"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let large = try await measured(bench.stores.large())
    let small = try await measured(bench.stores.small())
    let count = Figures.count(bench.scaled(1_000_000))
    return [
      .limit(
        "delta of 100 changes in one version of \(count) items, in process", large.delta,
        atMost: 1.5, of: "bare reading", large.bare),
      .limit("the same, of 1,000 items", small.delta, atMost: 1.5, of: "bare reading", small.bare),
      .limit(
        "at \(count) items", large.delta, atMost: 1.3, of: "that at 1,000", small.delta),
    ]
  }

  private func measured(_ built: Stores.Built) async throws -> (delta: Samples, bare: Samples) {
    let service = try ParkStore(path: built.path).service
    let barePath = bench.newPath("bare.db")
    defer { bench.remove(database: barePath) }
    let bare = try await BareReading(
      path: barePath, from: service, versionCount: built.versionCount)
    var (deltas, bares) = (Samples(), Samples())
    let head = built.versionCount
    for _ in 0..<max(bench.rounds * 20, 100) {
      let rows = try Clock.measure { try bare.run(since: head - 1, to: head) }
      bares.add(rows.1)
      let delta = try await Clock.measureAsync {
        try await service.delta(of: ParkStore.list, since: .version(Version(head - 1)))
      }
      deltas.add(delta.1)
      precondition(delta.0.changes.count >= rows.0, "a delta holds what the rows hold")
    }
    return (deltas, bares)
  }
}
