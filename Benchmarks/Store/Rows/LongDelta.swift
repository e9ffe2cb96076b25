import Foundation
import ListModel
import SyncService

/// Row 5.
struct LongDelta: Row {
  static let number = 5
  static let title = "delta across 1,000 versions of 100 changes"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let built = try await bench.stores.long()
    let head = built.versionCount
    var (firsts, seconds, bares) = (Samples(), Samples(), Samples())
    // Deltas are kept, so the floor is made from a copy too.
    let (source, barePath) = (try bench.copy(ofDatabase: built.path), bench.newPath("bare.db"))
    defer { for path in [source, barePath] { bench.remove(database: path) } }
    let bare = try await BareReading(
      path: barePath, from: ParkStore(path: source).service, versionCount: head)
    for _ in 0..<bench.rounds {
      let copy = try bench.copy(ofDatabase: built.path)
      defer { bench.remove(database: copy) }
      bares.add(try Clock.measure { try bare.run(since: 1, to: head) }.1)
      let service = try ParkStore(path: copy).service
      let delta = { try await service.delta(of: ParkStore.list, since: .version(Version(1))) }
      firsts.add(try await Clock.measureAsync(delta).1)
      seconds.add(try await Clock.measureAsync(delta).1)
    }
    let work = """
      delta across \(Figures.count(head - 1)) versions of 100 changes, \
      \(Figures.count(built.itemCount)) items, in process
      """
    return [
      .limit(work, firsts, atMost: 3, of: "bare reading", bares),
      .limit("the same again", seconds, atMost: 0.2, of: "the first time", firsts),
    ]
  }
}
