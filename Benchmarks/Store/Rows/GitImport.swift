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
    do {
      let repository = try make()
      let floor = try floor(repository)
      let work = "import-git of \(name), \(Figures.count(repository.commitCount)) commits"
      do {
        try bench.require(verb: "import-git")
      } catch let error as Skipped {
        return .skipped(work, "\(error.reason); git cat-file --batch takes \(floor)")
      }
      return try finding(work, repository, idArguments, floor)
    } catch let error as Skipped {
      return .skipped("import-git of \(name)", error.reason)
    }
  }

  private func floor(_ repository: GitRepository) throws -> Samples {
    let names = try repository.objectNames(bench: bench)
    return Samples(
      try (0..<bench.rounds).map { _ in
        try bench.run(["git", "-C", repository.path, "cat-file", "--batch"], input: names).cost
      })
  }

  private func finding(
    _ work: String, _ repository: GitRepository, _ idArguments: [String], _ floor: Samples
  ) throws -> Finding {
    var works = Samples()
    for _ in 0..<bench.rounds {
      let store = bench.newPath("import.db")
      let arguments = ["import-git", repository.path, repository.fileName, "--list", "parks"]
      works.add(try bench.listsync(arguments + idArguments, store: store).cost)
      bench.remove(database: store)
    }
    return .limit(work, works, atMost: 5, of: "git cat-file --batch", floor)
  }
}
