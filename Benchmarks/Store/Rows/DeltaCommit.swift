import Foundation
import ParkLists

/// Row 3.
struct DeltaCommit: Row {
  static let number = 3
  static let title = "commit of one item's change as a delta, whole process"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    let (large, small) = (
      try Change(bench: bench, count: bench.scaled(1_000_000)),
      try Change(bench: bench, count: 1_000)
    )
    return [
      try finding("commit --delta", large.delta(), small.delta()),
      try finding("edit --put", large.edit(), small.edit()),
    ]
  }

  /// Times at the large and at the small count.
  private func finding(
    _ name: String, _ large: PreparedChange, _ small: PreparedChange
  ) throws -> Finding {
    var (larges, smalls) = (Samples(), Samples())
    for _ in 0..<max(bench.rounds, 9) {
      smalls.add(try small.run(bench))
      larges.add(try large.run(bench))
    }
    let count = Figures.count(bench.scaled(1_000_000))
    return .limit(
      "\(name) of one item to \(count) items", larges, atMost: 2, of: "that at 1,000", smalls)
  }
}

/// A change of one item, ready to be sent to copies of a store.
private struct PreparedChange {
  let store: String
  let arguments: [String]

  func run(_ bench: Workbench) throws -> Cost {
    let copy = try bench.copy(ofDatabase: store)
    defer { bench.remove(database: copy) }
    return try bench.listsync(arguments, store: copy).cost
  }
}

/// A store of one version, and the next version's one change.
private struct Change {
  let bench: Workbench
  let store: String
  let next: ParkList
  let changed: Park

  init(bench: Workbench, count: Int) throws {
    self.bench = bench
    var list = ParkList(count: count, seed: 3)
    let file = bench.newPath("parks.json")
    try list.writeJSON(to: file)
    store = bench.newPath("delta.db")
    try bench.listsync(["commit", "parks", file], store: store)
    changed = list.edit(EditMix(updates: 1))[0]
    next = list
  }

  /// The document comes from a dry run of the whole list.
  func delta() throws -> PreparedChange {
    let (file, document) = (bench.newPath("next.json"), bench.newPath("delta.json"))
    try next.writeJSON(to: file)
    try bench.listsync(
      ["commit", "parks", file, "--dry-run", "--json"], store: store, output: document)
    return PreparedChange(store: store, arguments: ["commit", "parks", "--delta", document])
  }

  func edit() throws -> PreparedChange {
    let file = bench.newPath("item.json")
    try Data(next.content(of: changed)).write(to: URL(fileURLWithPath: file))
    return PreparedChange(store: store, arguments: ["edit", "parks", "--put", file])
  }
}
