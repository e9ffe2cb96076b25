import GitHistory
import ListDocuments
import ListModel
import ListStore
import LocalFiles
import PostgresStore
import SQLExport
import SyncClient
import SyncService

/// Every error of this program becomes a text, an exit code and advice in this folder only.
///
/// Each kind of error has one table. A table is a single switch, however long, so that the compiler
/// demands a row for each case. `Tests/Fixtures/failures.txt` shows all rows.
extension Failure {
  /// Nil for an error that this package does not define.
  init?(_ error: any Error) {
    switch error {
    case let error as VerbError: self.init(error)
    case let error as InvalidSetting: self.init(error)
    case let error as FileError: self.init(error)
    case let error as OutputError:
      self.init(
        .inputOutput,
        "cannot write the answer: \(error.reason)\(error.change.map { "; \($0)" } ?? "")",
        error.change.map { _ in "The change is made: do not repeat the command." })
    case let error as GitError: self.init(error)
    case let error as ServiceError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as DistributionRefusal:
      self.init(.failure, "the store is not distributed: \(error.reason)", error.remedy)
    case let error as ReplicaError: self.init(error)
    case let error as ExportError: self.init(error)
    default: return nil
    }
  }

  /// The failure of an error. If a list does not exist, also says which lists do.
  static func naming(_ error: any Error) async -> Failure? {
    var failure = Failure(error)
    if case ServiceError.noSuchList(let name) = error,
      let known = try? await StoreArguments.openedAgain()?.read({ try $0.lists().map(\.name.text) })
    {
      failure?.message += "; \(Nearest.text(to: name.text, among: known))"
    }
    return failure
  }

  /// Nil for a refused file whose error this package does not define.
  private init?(_ error: VerbError) {
    switch error {
    case .unknownVerb(let word, let known):
      self.init(
        .usage, "there is no verb '\(Output.shortened(word))'",
        "The nearest are: \(Nearest.names(to: word, among: known).joined(separator: ", ")). "
          + "'listsync --help' shows all.")
    case .advised(let error, let advice):
      self.init(error)
      self.advice = advice
    case .unreadable(let path, let error):
      self.init(
        .failure, "cannot read \(path): \(Self.reason(error))", "Check its name and permissions.")
    case .notSnapshot(let path, let error, let given):
      self.init(error, in: Wording.input(path), given: given)
    case .refused(let path, let position, let error): self.init(refusing: path, at: position, error)
    case .refusedDelta(let path, let position, let error):
      self.init(refusingDeltaOf: path, at: position, error)
    case .noCursors(let path, let error):
      self.init(
        .failure, "\(Wording.input(path)): \(Output.shortened("\(error)"))",
        "Keep what 'listsync lists --json' or 'listsync log LIST --json' prints.")
    case .unnamedCursors:
      self.init(
        .usage, "the cursors do not say which list they belong to",
        "Name it: 'listsync verify LIST --against CURSOR'.")
    case .noCursorsOf(let list):
      self.init(
        .failure, "none of the kept cursors is of \(list): nothing was compared",
        "If the list had another name when they were kept, give its cursor itself.")
    case .noKey(let path):
      self.init(
        .failure, "\(Wording.input(path)) has no private key",
        "Name the file that 'listsync key create NAME' has made.")
    case .keyIsThere(let path):
      self.init(
        .failure, "\(path) is there already", "Name another file with -o: no key is replaced.")
    case .divergence(let place, let error):
      self.init(
        .diverged, "\(place) has another history: \(error)",
        "Somebody rewrote it, or it was restored from another store. A bundle or a copy from "
          + "somebody who has the kept cursor shows what was there.")
    case .absentItem(let id, let place):
      self.init(
        .notFound, "\(place) has no item '\(Output.shortened(id.text))' in this version",
        "'listsync show LIST@VERSION --ids' shows the ids. They are compared byte by byte.")
    case .refusedCommit(let commit, let reason):
      self.init(
        .failure, "commit \(commit): \(reason)",
        "The commits before it are imported. Without --strict, such commits are reported and "
          + "skipped.")
    case .allSkipped(let count, let list, let head):
      self.init(
        .failure,
        "no version for \(list): all of \(Wording.count(count, "commit")) were skipped",
        head == .zero
          ? "Nothing was imported. Name what the reasons above tell, such as --id, and try again."
          : "\(list) stays at version \(head). Skipped commits are not read again: correct the "
            + "file in a new commit, or import into another list with --list.")
    case .noFile:
      self.init(
        .failure, "the store is in a PostgreSQL database, which has no file of its own",
        "Back it up with 'pg_dump --schema listsync'. PostgreSQL frees space by itself.")
    case .declined: self.init(.failure, "not confirmed", "Nothing was changed.")
    case .otherHistory(let list, let head, let target, let other):
      self.init(
        .diverged,
        "\(list) diverged: \(target) has it at \(other.short), and the source at \(head.short)",
        "Both got commits of their own. Copy to another store, or drop or rename one of the lists.")
    case .endsTooOld(let list, let end, let target, let oldest):
      self.init(
        .diverged,
        "the source ends at \(end.short), but \(list) of \(target) was pruned and begins at "
          + oldest.short,
        "Nothing was copied. \(target) has all versions of \(list) that it is to keep.",
        problem: .tooOld)
    case .wrongStep(let list, let state, let error):
      self.init(
        .integrity, "\(list?.text ?? "list"), step to \(Wording.state(state)): \(error)",
        "Run 'listsync verify' to find the damaged version.")
    case .unwritableBundle(let list, let error): self.init(unwritableBundleOf: list, error)
    case .noRoomForBackup(let path):
      self.init(
        .inputOutput, "cannot write \(Output.printable(path)): the disk is full",
        "No backup was made. Free some space, or name a file on another disk.",
        problem: .outOfSpace)
    case .longReport(let list, let byteLimit, let isForced):
      self.init(
        .failure,
        "the history of \(list) has more than \(Wording.bytes(byteLimit)), which browsers "
          + (isForced ? "cannot hold" : "open slowly"),
        "No file was made. Shorten it with --since or --to\(isForced ? "" : ", or add --force").")
    case .vacuum(let error):
      let cause = Failure(error)
      self.init(
        cause.code, "the space was not freed: \(cause.message)",
        "The rest is done. Run the same command again to free the space.")
    }
  }
}
