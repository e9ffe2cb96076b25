import Foundation
import ParkLists

/// Row 1.
struct FirstCommit: Row {
  static let number = 1
  static let title = "first commit of a JSON array, whole process"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let count = bench.scaled(1_000_000)
    let list = ParkList(count: count, seed: 1)
    let file = bench.newPath("parks.json")
    let fileByteCount = try list.writeJSON(to: file)
    let floor = BareAppend(list)
    var (floors, works) = (Samples(), Samples())
    var peaks: [Double] = []
    for _ in 0..<bench.rounds {
      let bare = bench.newPath("bare.db")
      floors.add(try floor.run(at: bare))
      bench.remove(database: bare)
      let store = bench.newPath("first.db")
      let use = try bench.listsync(["commit", "parks", file], store: store)
      works.add(use.cost)
      peaks.append(Double(use.peakByteCount))
      bench.remove(database: store)
    }
    let work = "first commit of \(Figures.count(count)) items (\(Figures.bytes(fileByteCount)))"
    return [
      .limit(work, works, atMost: 2, of: "F1", floors),
      .limit(
        "the same: peak memory", Samples.median(peaks) / Double(fileByteCount), atMost: 2.5,
        of: "the file", figures: Figures.bytes(Int(Samples.median(peaks)))),
    ]
  }
}
