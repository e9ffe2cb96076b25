import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replays every version of every list and checks counts, checksums and chains.",
    discussion: """
      Rows, checkpoints, tags and kept changes are checked, too, and SQLite's own check is run. \
      With --deep, the checksum of every version is made anew from all of its items, and kept \
      changes are compared with what the versions say.

      EXAMPLE
        listsync verify
        listsync verify --deep
      """)

  @Flag(help: "Make the checksum of every version anew from its items.") var deep = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let progress = ProgressLine("verifying")
    let report = try await store.service().verify(depth: deep ? .everything : .changes) {
      progress.show("\($0) \($1)")
    }
    progress.finish()
    if json {
      try Output.write(VerificationDocument.encode(report))
    } else {
      try show(report)
    }
    if !report.problems.isEmpty { throw ExitCode(Failure.Code.integrity.rawValue) }
  }

  private func show(_ report: VerificationReport) throws {
    for list in report.verified {
      let versions = Wording.count(list.versionCount, "version")
      let checksums = deep ? "every checksum, made anew," : "every checksum"
      let head = Wording.state(list.head)
      try Output.line("\(list.list): \(versions), \(checksums) and the chain hold; head \(head)")
    }
    for problem in report.problems {
      Output.note("listsync: \(Wording.problem(problem, store: store.path))")
    }
    if !report.problems.isEmpty {
      Output.note("restore the store from a backup; versions below the ones named are whole")
    }
  }
}

extension Wording {
  /// Where, and what.
  static func problem(_ problem: VerificationReport.Problem, store: String) -> String {
    let place = problem.list.map { list in
      "\(list)\(problem.version.map { " version \($0)" } ?? "")"
    }
    return "\(place ?? store): \(problem.reason)"
  }
}

/// What a verification found, as JSON.
enum VerificationDocument {
  static func encode(_ report: VerificationReport) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { write(report, to: &$0) }
    return writer.bytes + "\n".utf8
  }

  static func write(_ report: VerificationReport, to writer: inout JSONWriter) {
    writer.member(
      "verified",
      array: { writer in
        for list in report.verified {
          writer.object { writer in
            writer.member("list", list.list.text)
            writer.member("head", list.head)
            writer.member("versions", list.versionCount)
          }
        }
      })
    writer.member(
      "problems",
      array: { writer in
        for problem in report.problems {
          writer.object { writer in
            writer.member("list", problem.list?.text)
            if let version = problem.version { writer.member("version", version.number) }
            writer.member("reason", problem.reason)
          }
        }
      })
  }
}
