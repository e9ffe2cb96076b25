import Foundation
import ParkLists

/// Row 14.
struct FollowedList: Row {
  static let number = 14
  static let title = "a list as rows of an app, and as a replica's file"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    try await firstCopy() + update(.rows, of: 100_000, megabytes: 2)
      + update(.rows, of: 1_000_000) + update(.file, of: 1_000_000)
  }

  private func firstCopy() async throws -> [Finding] {
    let list = ParkList(count: bench.scaled(100_000), seed: 1)
    let (whole, _) = try await documents(of: list)
    let floor = BareRows(list)
    var (floors, works) = (Samples(), Samples())
    for _ in 0..<bench.rounds {
      let bare = bench.newPath("bare.db")
      floors.add(try floor.run(at: bare))
      bench.remove(database: bare)
      let app = bench.newPath("app.db")
      works.add(try follow(.rows, app, [whole])[0].cost)
      bench.remove(database: app)
    }
    return [
      .limit(
        "first copy of \(Figures.count(list.parks.count)) items as rows, with their hashes", works,
        atMost: 2, of: "bare insertion", floors)
    ]
  }

  /// - Parameter megabytes: the goal for the memory beyond the document; nil for none.
  private func update(
    _ storage: FollowList.Storage, of count: Int, megabytes: Double? = nil
  ) async throws -> [Finding] {
    let list = ParkList(count: bench.scaled(count), seed: 1)
    let (whole, updates) = try await documents(of: list)
    let database = bench.newPath("\(storage).db")
    defer { bench.remove(database: database) }
    let first = try follow(storage, database, [whole])[0]
    // The first update of a process also loads the program.
    var (firsts, uses): ([DocumentUse], [DocumentUse]) = ([], [])
    for _ in 0..<bench.rounds {
      let copy = try bench.copy(ofDatabase: database)
      let both = try follow(storage, copy, updates)
      firsts.append(both[0])
      uses.append(both[1])
      bench.remove(database: copy)
    }
    func peak(_ uses: [DocumentUse]) -> Double {
      Samples.median(uses.map { Double($0.peakGrowth) })
    }
    let work = "10 changes of \(Figures.count(list.parks.count)) items, \(storage): memory"
    let figures = """
      \(Figures.bytes(Int(peak(uses)))), \(Samples(uses.map(\.cost))); the first of a process \
      \(Figures.bytes(Int(peak(firsts)))), \(Samples(firsts.map(\.cost))); first copy \
      \(Figures.bytes(first.peakGrowth)), \(Figures.seconds(first.wallSeconds))
      """
    guard let megabytes else {
      return [Finding(work: work, goal: "", measured: "-", outcome: .told, figures: figures)]
    }
    return [
      .limit(
        work, peak(uses) / 1_000_000, atMost: megabytes, of: "1 MB", figures: figures)
    ]
  }

  /// The documents of a whole list, and of twice ten changes of it.
  private func documents(of list: ParkList) async throws -> (whole: String, updates: [String]) {
    let store = bench.newPath("lists.db")
    defer { bench.remove(database: store) }
    var history = try await ParkHistory(path: store, of: list)
    var next = list
    for _ in 0..<2 {
      next.edit(.typical(changes: 10))
      try await history.commit(next)
    }
    let (whole, updates) = (
      bench.newPath("whole.json"), [1, 2].map { bench.newPath("update-\($0).json") }
    )
    try bench.listsync(
      ["delta", "parks", "--since", "0", "--to", "1", "--smaller"], store: store, output: whole)
    for (number, path) in zip(1..., updates) {
      try bench.listsync(
        ["delta", "parks", "--since", "\(number)", "--to", "\(number + 1)"], store: store,
        output: path)
    }
    return (whole, updates)
  }

  private func follow(
    _ storage: FollowList.Storage, _ database: String, _ documents: [String]
  ) throws -> [DocumentUse] {
    let report = bench.newPath("follow.json")
    try bench.run(
      [
        Workbench.ownPath, "follow", "--storage", storage.rawValue, "--database", database,
        "--report", report,
      ] + documents)
    return try JSONDecoder().decode(
      [DocumentUse].self, from: Data(contentsOf: URL(fileURLWithPath: report)))
  }
}
