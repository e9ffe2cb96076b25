import ArgumentParser
import ListDocuments
import ListModel
import SyncService

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replays every version of every list and checks counts, checksums and chains.",
    discussion: """
      EXAMPLE
        listsync verify
      """)

  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let progress = ProgressLine("verifying")
    let report = try await store.service().verify { progress.show("\($0) \($1)") }
    progress.finish()
    try json ? Output.write(Self.document(report)) : show(report)
    if !report.problems.isEmpty { throw ExitCode(Failure.Code.integrity.rawValue) }
  }

  private func show(_ report: VerificationReport) throws {
    for list in report.verified {
      let versions = Wording.count(list.head.cursor?.version.number ?? 0, "version")
      let head = Wording.state(list.head)
      try Output.line("\(list.list): \(versions), every checksum and the chain hold; head \(head)")
    }
    for problem in report.problems {
      let place = problem.list.map { list in
        "\(list)\(problem.version.map { " version \($0)" } ?? "")"
      }
      Output.note("listsync: \(place ?? store.path): \(problem.reason)")
    }
    if !report.problems.isEmpty {
      Output.note("restore the store from a backup; versions below the ones named are whole")
    }
  }

  private static func document(_ report: VerificationReport) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member(
        "verified",
        array: { writer in
          for list in report.verified {
            writer.object { writer in
              writer.member("list", list.list.text)
              writer.member("head", list.head)
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
    return writer.bytes + "\n".utf8
  }
}
