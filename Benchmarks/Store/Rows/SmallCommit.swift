import Foundation
import ParkLists

/// Row 2.
struct SmallCommit: Row {
  static let number = 2
  static let title = "commit of the same list with 100 changes, whole process"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let count = bench.scaled(1_000_000)
    var list = ParkList(count: count, seed: 1)
    let file = bench.newPath("parks.json")
    try list.writeJSON(to: file)
    let floor = BareAppend(list)
    let store = bench.newPath("second.db")
    try bench.listsync(["commit", "parks", file], store: store)
    var (floors, works) = (Samples(), Samples())
    var (peak, fileByteCount) = (0, 1)
    for _ in 0..<bench.rounds {
      let bare = bench.newPath("bare.db")
      floors.add(try floor.run(at: bare))
      bench.remove(database: bare)
      list.edit(.typical(changes: 100))
      fileByteCount = try list.writeJSON(to: file)
      let use = try bench.listsync(["commit", "parks", file], store: store)
      works.add(use.cost)
      peak = max(peak, use.peakByteCount)
    }
    return [
      .limit(
        "commit of \(Figures.count(count)) items with 100 changes", works, atMost: 0.4, of: "F1",
        floors),
      .limit(
        "the same: peak memory", Double(peak) / Double(fileByteCount), atMost: 1.5, of: "the file",
        figures: Figures.bytes(peak)),
    ]
  }
}
