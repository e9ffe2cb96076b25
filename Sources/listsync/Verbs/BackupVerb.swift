import ArgumentParser
import ListDocuments
import ListStore
import SyncService

struct BackupVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies the store into one file while it is in use, and verifies the copy.",
    discussion: """
      The copy has the state of one moment, with the same cursors and tokens. The file appears \
      only when it is complete and verified. It is a store itself: read it with --store FILE.

      To restore it, end all programs that use the store, including servers. Remove the store's \
      -wal and -shm files, and copy the backup to the store's path. A server whose store was \
      replaced while it ran refuses commits and ends with exit code 8. Start it again to serve the \
      restored store.

      EXAMPLE
        listsync backup parks-2026-11.db
        listsync backup --force latest.db
      """)

  @Argument(help: .file("The file to create."), completion: .file()) var file: String
  @Flag(help: "Replace the file if it exists, atomically.") var force = false
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let progress = ProgressLine("backing up")
    defer { progress.finish() }
    let backup = try Backup(of: store.file(for: .reading), to: file, replaces: force)
    let report: BackupReport
    do {
      report = try await backup.run { state in
        switch state {
        case .copying(let part, let whole): progress.show(part: part, of: whole)
        case .verifying(let list, let version): progress.show("verifying \(list) \(version)")
        }
      }
    } catch StoreError.diskFull {
      // The store is open already and is only read, so the full disk is that of the backup.
      throw VerbError.noRoomForBackup(file)
    }
    progress.finish()
    let verification = report.verification
    guard verification.faults.isEmpty else {
      if answer.isJSON { try Output.object { write(report, to: &$0) } }
      throw verification.damage(
        in: store, "no backup was made, since the store is damaged; keep the backups you have")
    }
    try answer.write(line(report)) { write(report, to: &$0) }
  }

  private func write(_ report: BackupReport, to writer: inout JSONWriter) {
    writer.member("file", report.verification.faults.isEmpty ? file : nil)
    writer.member("bytes", report.byteCount)
    writer.members(of: report.verification)
  }

  private func line(_ report: BackupReport) -> String {
    let lists = report.verification.verified
    let versions = lists.reduce(0) { $0 + $1.versionCount }
    return """
      \(Output.printable(file)): \(Wording.bytes(report.byteCount)), \
      \(Wording.count(lists.count, "list")), \(Wording.count(versions, "version")), verified
      """
  }
}
