import Foundation
import TestSupport

/// Row 12.
struct HistoryBytes: Row {
  static let number = 12
  static let title = "bytes of whole histories, beside git's pack"
  let bench: Workbench

  /// The bytes of a store with one item, which belong to no history.
  private static let emptyByteCount = 118_784
  private static let goals = (each: 2.0, mean: 1.2)

  private static let ids = [
    "gov-domains": ["Domain Name|Domain name"], "movies-top250": ["imdb_url"],
    "movies-wikipedia": ["title", "year"], "parks-world": ["countryCode", "name"],
    "regions": ["id"],
  ]

  func findings() async throws -> [Finding] {
    var (findings, ratios): ([Finding], [Double]) = ([], [])
    func add(_ name: String, _ ids: [String], _ repository: GitRepository) throws {
      let (finding, ratio) = try finding(name, ids, repository)
      findings.append(finding)
      ratios.append(ratio)
      try FileManager.default.removeItem(atPath: repository.path)
    }
    if RealList.areThere {
      for list in RealList.several {
        let repository = try GitRepository.real(list.name, bench: bench)
        try add(list.name, Self.ids[list.name] ?? [], repository)
      }
    } else {
      findings.append(.skipped("the real lists", RealList.skipNote))
    }
    for shape in ShapedHistory.all {
      let repository = try shape.repository(bench: bench)
      let name = "\(shape.name), \(Figures.count(repository.commitCount)) versions"
      try add(name, [shape.idRule], repository)
    }
    let mean = exp(ratios.map(log).reduce(0, +) / Double(ratios.count))
    let figures = "geometric mean of the lists above"
    return findings + [
      .limit("all", mean, atMost: Self.goals.mean, of: "git's pack", figures: figures)
    ]
  }

  private func finding(
    _ name: String, _ ids: [String], _ repository: GitRepository
  ) throws -> (Finding, ratio: Double) {
    let git = ["git", "-C", repository.path]
    try bench.run(git + ["gc", "--quiet", "--aggressive", "--prune=now"])
    let pack = try Self.packByteCount(of: repository)
    let store = bench.newPath("history.db")
    defer { bench.remove(database: store) }
    let source = ["import-git", repository.path, repository.fileName, "--list", "parks"]
    let reading = ids.flatMap { ["--id", $0] } + ["--duplicates", "keep-first"]
    let imported = try bench.listsync(source + reading, store: store)
    let importedCount = try StoreSize.byteCount(of: store)
    let head = try bench.listsync(["show", "parks"], store: store)
    let compaction = try bench.listsync(["compact"], store: store)
    try bench.listsync(["compact", "--vacuum"], store: store)
    let merged = try StoreSize.byteCount(of: store)
    let mergedHead = try bench.listsync(["show", "parks"], store: store)
    let version = try BareDatabase(path: store).number("SELECT max(version) / 2 FROM versions")
    let middle = try bench.listsync(["show", "parks@\(version)"], store: store)
    try bench.listsync(["verify", "--deep"], store: store)
    let ratio = Double(max(1, merged - Self.emptyByteCount)) / Double(pack)
    let bytes = [
      ("git", pack), ("merged", merged), ("as imported", importedCount),
    ].map { "\($0) \(Figures.bytes($1))" }
    let seconds = [
      ("import", imported), ("merging", compaction), ("head as imported", head),
      ("head merged", mergedHead), ("a version in the middle", middle),
    ].map { "\($0) \(Figures.seconds($1.cost.wallSeconds))" }
    let parts = try StoreSize.description(of: store)
    let figures = (bytes + seconds + [parts]).joined(separator: ", ")
    let finding = Finding.limit(
      name, ratio, atMost: Self.goals.each, of: "git gc --aggressive", figures: figures)
    return (finding, ratio)
  }

  private static func packByteCount(of repository: GitRepository) throws -> Int {
    let folder = repository.path + "/.git/objects/pack"
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".pack") }
      .reduce(0) { sum, file in
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + file)
        return sum + (attributes[.size] as? Int ?? 0)
      }
  }
}
