import Foundation
import ListChanges

/// Times comparisons against the floor: the standard library's dictionary of the old list alone.
///
///     swift run -c release ChangeBenchmarks [LETTER …]
struct Report {
  private var root = 0

  mutating func row<Element: Identifiable & Equatable & Sendable>(
    _ name: String, goal: String, _ lists: () -> (old: [Element], new: [Element])
  ) throws where Element.ID: Sendable {
    let wanted = CommandLine.arguments.dropFirst()
    guard wanted.isEmpty || wanted.contains(where: { name.hasPrefix($0) }) else { return }
    let (old, new) = lists()
    let runs = old.count > 200_000 ? 7 : 25
    var sum = 0
    let floor = ThreadClock.median(runs: runs) {
      Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.id, $0) })
    } consume: {
      sum += $0.count
    }
    var moveCount = 0
    let trusted = ThreadClock.median(runs: runs) {
      old.changes(to: new, ids: .trusted)
    } consume: {
      moveCount = $0.moved.count
      sum += $0.count
    }
    let checked = try ThreadClock.median(runs: runs) {
      try old.changes(to: new)
    } consume: {
      sum += $0.count
    }
    root += sum
    let figures = [
      milliseconds(floor), milliseconds(trusted), ratio(trusted / floor), goal,
      ratio(checked / floor), "\(moveCount)",
    ]
    print(name.padded(48) + figures.map { $0.leftPadded(11) }.joined())
  }
}

func milliseconds(_ nanoseconds: Double) -> String {
  String(format: "%.3f ms", nanoseconds / 1e6)
}

func ratio(_ value: Double) -> String { String(format: "%.4f", value) }

extension String {
  func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

func run() throws {
  var random = Seeded(state: 42)
  var report = Report()
  let titles = ["floor", "time", "ratio", "goal", "checked", "moves"]
  print("workload".padded(48) + titles.map { $0.leftPadded(11) }.joined())
  try report.row("a  5,000: -1,000 +1,000, 200 shuffled", goal: "0.15") {
    let old = Workloads.tiles(5_000)
    return (
      old,
      Workloads.block(
        old, remove: 2000..<3000, insert: 1000, at: 3000, shuffle: 0..<200, &random)
    )
  }
  try report.row("b  100,000: -10,000 +10,000, 2,000 shuffled", goal: "0.035") {
    let old = Workloads.tiles(100_000)
    return (
      old,
      Workloads.block(
        old, remove: 20_000..<30_000, insert: 10_000, at: 30_000, shuffle: 0..<2000, &random)
    )
  }
  try report.row("c  1,000,000 records, 25 edits of each kind", goal: "0.02") {
    let old = Workloads.records(1_000_000) { "Park \($0)" }
    return (old, Workloads.edited(old, name: "other"))
  }
  try report.row("c' the same, names of 40 bytes, nothing shared", goal: "0.10") {
    let name = { (number: Int) in "National Park of the United States \(number)" }
    let copy = Workloads.records(1_000_000, name: name)
    return (
      Workloads.records(1_000_000, name: name),
      Workloads.edited(copy, name: "another name, as long as those of the others")
    )
  }
  try report.row("d  10,000 reversed", goal: "0.08") {
    let old = Workloads.tiles(10_000)
    return (old, old.reversed())
  }
  try report.row("e  100,000, first moved to the end", goal: "0.025") {
    let old = Workloads.tiles(100_000)
    return (old, Array(old[1...] + old[..<1]))
  }
  try report.row("f  1,000,000 identical", goal: "0.02") {
    let old = Workloads.tiles(1_000_000)
    return (old, old.map { Tile(id: $0.id) })
  }
  try report.row("p  random permutation of 100,000", goal: "0.8") {
    let old = Workloads.tiles(100_000)
    return (old, old.shuffled(using: &random))
  }
  try report.row("r  1,000 records, 100 edits", goal: "-") {
    let old = Workloads.records(1_000) { "Park \($0)" }
    return (old, Workloads.edited(old, name: "other"))
  }
  try report.row("s  1,000,000 stored numbers, 25 edits of each", goal: "-") {
    let old = (0..<1_000_000).map { Numbered(id: Int64($0) * 7919, content: Int64($0)) }
    let new = Workloads.spread(old, edits: 25) {
      Numbered(id: -Int64($0) - 1, content: 0)
    } update: {
      $0.content = -1
    }
    return (old, new)
  }
  let wanted = CommandLine.arguments.dropFirst()
  if wanted.isEmpty || wanted.contains("k") { try Composition.report() }
  if wanted.isEmpty || wanted.contains("l") { try LongHistory.report() }
}

try run()
