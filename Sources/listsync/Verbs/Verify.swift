import ArgumentParser
import ListDocuments
import ListModel
import SyncClient
import SyncService

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Replays every version of every list, and verifies counts, roots and chains.",
    discussion: """
      Also verifies rows, checkpoints, tags and kept changes, and runs SQLite's own check. With \
      --deep, the root of every version is computed again from all of its items, and kept \
      changes are compared with the versions.

      All this shows that the store agrees with itself. --against also shows that its history is \
      the one of which you kept a cursor: nobody finds another history, or another list, with the \
      same 32 digits. With --key, the kept file must be a head that this key has signed.

      EXAMPLE
        listsync verify
        listsync lists --json > kept.json
        listsync verify --against kept.json
        listsync verify parks --against 7-3f9a1c2b7d40c5e6918f20aa3b7714de
        listsync verify --against head.json --key lists.example.pub
      """)

  @Argument(help: "Only this list.", completion: .lists, transform: ListName.init(argument:))
  var list: ListName?
  @Flag(help: "Compute the root of every version again from its items.") var deep = false
  @OptionGroup var kept: AgainstOptions
  @OptionGroup var replicas: ReplicaOptions
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if replicas.paths.count > 1 || !replicas.paths.isEmpty && (deep || list != nil) {
      throw ValidationError("--replica: one file, without a list and without --deep.")
    }
  }

  func run() async throws {
    if let path = replicas.paths.first { return try await verifyReplica(path) }
    let service = try store.service()
    let kept = try keptCursors()
    let progress = ProgressLine("verifying")
    let report = try await service.verify(list, depth: deep ? .everything : .changes) {
      progress.show("\($0) \($1)")
    }
    progress.finish()
    if answer.isJSON {
      try Output.object { $0.members(of: report) }
    } else {
      for list in report.verified { try Output.line(line(list)) }
    }
    guard report.faults.isEmpty else {
      throw report.damage(
        in: store, "restore the store from a backup; versions below the ones named are not damaged")
    }
    try await compare(kept, service)
  }

  /// Compares the histories of all lists with kept cursors. Continues after a list that differs.
  private func compare(_ kept: [ListName: [Cursor]], _ service: SyncService) async throws {
    var failures: [any Error] = []
    for (name, cursors) in kept.sorted(by: { $0.key < $1.key }) {
      do {
        let count = try await service.compare(cursors, withHistoryOf: name)
        if !answer.isJSON { try Output.line(self.kept.line(name.text, count)) }
      } catch let error as Divergence {
        failures.append(VerbError.divergence(of: name.text, error))
      } catch let error as ServiceError {
        failures.insert(error, at: 0)
      }
    }
    for failure in failures.dropLast() {
      Output.diagnostic("listsync: \(Failure(failure)?.message ?? "\(failure)")")
    }
    if let last = failures.last { throw last }
  }

  /// The kept cursors by their lists.
  private func keptCursors() throws -> [ListName: [Cursor]] {
    if let list {
      let cursors = try kept.cursors(of: list)
      return cursors.isEmpty ? [:] : [list: cursors]
    }
    return try Dictionary(
      kept.entries().map { entry in
        guard let name = entry.list else { throw VerbError.unnamedCursors }
        return (name, [entry.cursor])
      }, uniquingKeysWith: +)
  }

  private func verifyReplica(_ path: String) async throws {
    let (source, copy) = try await ReplicaFile.read(path)
    let cursors = try kept.cursors(of: source.list)
    if !cursors.isEmpty {
      var comparison = HistoryComparison(cursors)
      do throws(Divergence) {
        try comparison.compare(copy.cursor)
        try comparison.finish()
      } catch {
        throw VerbError.divergence(of: path, error)
      }
      if !answer.isJSON { try Output.line(kept.line(path, comparison.equalCount)) }
    }
    try answer.write(
      "\(source.list): the root matches and belongs to the cursor; \(Wording.state(copy.state))"
    ) { writer in
      writer.member("list", source.list.text)
      writer.member("head", copy.state)
    }
  }

  private func line(_ list: VerificationReport.Verified) -> String {
    let versions = Wording.count(list.versionCount, "version")
    let roots = deep ? "every root, computed again," : "every root"
    let head = Wording.state(list.head)
    return "\(list.list): \(versions), \(roots) and the chain match; head \(head)"
  }
}

extension VerificationReport {
  /// Writes the damage and what to do to standard error.
  ///
  /// - Returns: the exit code, to be thrown.
  func damage(in store: StoreArguments, _ advice: String) -> ExitCode {
    for fault in faults {
      let place = fault.list.map { list in
        "\(list)\(fault.version.map { " version \($0)" } ?? "")"
      }
      Output.diagnostic("listsync: \(place ?? store.path): \(fault.reason)")
    }
    Output.diagnostic(advice)
    return ExitCode(Failure.Code.integrity.rawValue)
  }
}

extension JSONWriter {
  mutating func members(of report: VerificationReport) {
    objects("verified", report.verified) { writer, list in
      writer.member("list", list.list.text)
      writer.member("head", list.head)
      writer.member("versions", list.versionCount)
    }
    objects("faults", report.faults) { writer, fault in
      writer.member("list", fault.list?.text)
      if let version = fault.version { writer.member("version", version.number) }
      writer.member("reason", fault.reason)
    }
  }
}
