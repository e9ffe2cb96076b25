import ArgumentParser
import ListDocuments
import SyncService
import Terminal

struct BackupVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies the store into one file, while others use it, and verifies the copy.",
    discussion: """
      The copy is the store as it stands at one moment, with the same cursors and tokens. It gets \
      its name once it is whole and verified. It is a store itself, which --store FILE reads.

      To restore it: end every program that uses the store, a server too; remove the store's -wal \
      and -shm files; copy the backup to the store's path. A server whose store is replaced while it \
      runs takes no more commits and ends with exit code 8; started again, it serves the restored \
      store.

      EXAMPLE
        listsync backup parks-2026-11.db
        listsync backup --force latest.db
      """)

  @Argument(help: ArgumentHelp("The file to make.", valueName: "file")) var file: String
  @Flag(help: "Replace the file where it is there, in one moment.") var force = false
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let progress = ProgressLine("backing up")
    defer { progress.finish() }
    let backup = try Backup(of: store.readingStore(), to: file, replaces: force)
    let report = try await backup.run { state in
      switch state {
      case .copying(let part, let whole): progress.show(part: part, of: whole)
      case .verifying(let list, let version): progress.show("verifying \(list) \(version)")
      }
    }
    progress.finish()
    let problems = report.verification.problems
    if json {
      try problems.isEmpty
        ? Output.answer(keeping: line(report)) { try Output.write(document(report)) }
        : Output.write(document(report))
    }
    guard problems.isEmpty else {
      for problem in problems {
        Output.note("listsync: \(Wording.problem(problem, store: store.path))")
      }
      Output.note("no backup was made, since the store is damaged; keep the backups you have")
      throw ExitCode(Failure.Code.integrity.rawValue)
    }
    if !json { try Output.answer(keeping: line(report)) { try Output.line(line(report)) } }
  }

  private func line(_ report: BackupReport) -> String {
    let lists = report.verification.verified
    let versions = lists.reduce(0) { $0 + $1.versionCount }
    return """
      \(Output.printable(file)): \(Wording.bytes(report.byteCount)), \
      \(Wording.count(lists.count, "list")), \(Wording.count(versions, "version")), verified
      """
  }

  private func document(_ report: BackupReport) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("file", report.verification.problems.isEmpty ? file : nil)
      writer.member("bytes", report.byteCount)
      VerificationDocument.write(report.verification, to: &writer)
    }
    return writer.bytes + "\n".utf8
  }
}
