import ListChanges

/// Composing steps must cost what changed, whatever the list holds.
enum Composition {
  static let stepCount = 100
  static let changesPerStep = 100

  /// The number of items at the start of the list that contain all edits. So the steps differ only
  /// in the list's length.
  static let window = 1_000

  /// Steps over a list of `count` items: each moves, updates, removes and inserts some of them.
  static func steps(count: Int, _ random: inout Seeded) -> [ChangeSet<Numbered>] {
    var list = (0..<count).map { Numbered(id: Int64($0), content: 0) }
    var fresh = Int64(count)
    return (0..<stepCount).map { step in
      var next = list
      for _ in 0..<changesPerStep / 4 {
        next.remove(at: Int.random(in: 0..<window, using: &random))
        next.insert(
          Numbered(id: fresh, content: 0), at: Int.random(in: 0..<window, using: &random))
        fresh += 1
        next[Int.random(in: 0..<window, using: &random)].content = Int64(step + 1)
        let moved = next.remove(at: Int.random(in: 0..<window, using: &random))
        next.insert(moved, at: Int.random(in: 0..<window, using: &random))
      }
      let changes = list.changes(to: next, ids: .trusted)
      list = next
      return changes
    }
  }

  static func report() throws {
    var times: [Double] = []
    for count in [1_000, 1_000_000] {
      var random = Seeded(state: 7)
      let steps = steps(count: count + window, &random)
      let changeCount = steps.reduce(0) { $0 + $1.count }
      var composedCount = 0
      let time = ThreadClock.median(runs: 7) {
        ChangeSet.composing(steps)
      } consume: {
        composedCount = $0?.count ?? 0
      }
      times.append(time / Double(changeCount))
      print(
        "k  \(stepCount) steps, \(changeCount) changes, \(count) items:",
        "\(milliseconds(time)), \(Int(time) / changeCount) ns a change, \(composedCount) composed")
    }
    print("   time a change at 1,000,000 items / at 1,000: \(ratio(times[1] / times[0]))")
  }
}
