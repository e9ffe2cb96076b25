import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Replays every version of every list, and verifies counts, roots and chains.",
    discussion: """
      Also verifies rows, checkpoints, tags and kept changes, and runs SQLite's own check. With \
      --deep, the root of every version is computed again from all of its items, and kept \
      changes are compared with the versions.

      EXAMPLE
        listsync verify
        listsync verify --deep
      """)

  @Flag(help: "Compute the root of every version again from its items.") var deep = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let progress = ProgressLine("verifying")
    let report = try await store.service().verify(depth: deep ? .everything : .changes) {
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
  func damage(in store: StoreOptions, _ advice: String) -> ExitCode {
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
