import ParkLists

/// Row 7.
struct GitImport: Row {
  static let number = 7
  static let title = "import-git of a history, whole process"
  let bench: Workbench

  func findings() async throws -> [Finding] {
    [
      try finding("regions", idArguments: ["--id", "id"]) {
        try GitRepository.real("regions", bench: bench)
      },
      try finding(
        "gov-domains",
        idArguments: ["--id", "Domain Name|Domain name", "--duplicates", "keep-first"]
      ) {
        try GitRepository.real("gov-domains", bench: bench)
      },
      try finding("20 generated items of 8 KB", idArguments: ["--id", "id"], make: generated),
    ]
  }

  private func generated() throws -> GitRepository {
    var list = ParkList(count: 20, seed: 7, descriptionByteCount: 8_000)
    return try GitRepository(bench: bench, fileName: "parks.json") { receive in
      for _ in 0..<bench.scaled(2_500) {
        try receive(list.json)
        list.edit(EditMix(updates: 1))
      }
    }
  }

  private func finding(
    _ name: String, idArguments: [String], make: () throws -> GitRepository
  ) throws -> Finding {
    let repository: GitRepository
    do {
      repository = try make()
    } catch let error as Skipped {
      return .skipped("import-git of \(name)", error.reason)
    }
    let names = try repository.objectNames(bench: bench)
    let arguments = ["import-git", repository.path, repository.fileName, "--list", "parks"]
    var (floors, works) = (Samples(), Samples())
    var peak = 0
    for _ in 0..<bench.rounds {
      let floor = ["git", "-C", repository.path, "cat-file", "--batch"]
      floors.add(try bench.run(floor, input: names).cost)
      let store = bench.newPath("import.db")
      let use = try bench.listsync(arguments + idArguments, store: store)
      works.add(use.cost)
      peak = max(peak, use.peakByteCount)
      bench.remove(database: store)
    }
    return .limit(
      "import-git of \(name), \(Figures.count(repository.commitCount)) commits", works, atMost: 3,
      of: "git cat-file --batch", floors, figures: "peak memory \(Figures.bytes(peak))")
  }
}
