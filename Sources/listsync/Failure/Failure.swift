import GitHistory
import Gzip
import ListDocuments
import ListModel
import ListStore
import LocalFiles
import PostgresStore
import SQLExport
import SyncClient
import SyncService
import Terminal

/// Every error of this program becomes a text and an exit code here, and nowhere else.
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
        "cannot write the answer: \(error.reason)\(error.kept.map { "; \($0)" } ?? "")",
        error.kept.map { _ in "The change is made: do not repeat the command." })
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

  /// Nil for a refused file whose error this package does not define.
  private init?(_ error: VerbError) {
    switch error {
    case .unknownVerb(let word, let known):
      self.init(
        .usage, "there is no verb '\(Output.shortened(word))'",
        """
        The nearest are: \(Nearest.names(to: word, among: known).joined(separator: ", ")). \
        'listsync --help' shows all.
        """)
    case .noSuchList(let name, let known):
      let cause = Failure(ServiceError.noSuchList(name))
      let names = Nearest.text(to: name.text, among: known.map(\.text))
      self.init(
        cause.code, "\(cause.message); \(names)", cause.advice, problem: cause.problem)
    case .gone(let former, let advice):
      let cause = Failure(ServiceError.gone(former))
      self.init(cause.code, cause.message, advice, problem: cause.problem)
    case .unreadable(let path, let error):
      self.init(
        .failure, "cannot read \(path): \(Self.reason(error))", "Check its name and permissions.")
    case .notSnapshot(let path, let error, let hasFormat):
      self.init(error, in: Wording.input(path), hasFormat: hasFormat)
    case .refused(let path, let error): self.init(refusing: path, error)
    case .noDelta(let error, let list):
      let cause = Failure(error)
      self.init(
        cause.code, cause.message,
        "Start over with 'listsync show \(list)', or add --fallback snapshot.",
        problem: cause.problem)
    case .refusedDelta(let path, let position, let error):
      self.init(refusingDeltaOf: Wording.input(path), at: position, error)
    case .refusedEdit(let path, let position, let error):
      let cause = Failure(error)
      self.init(
        cause.code,
        "\(Wording.input(path)):\(position.line):\(position.column): \(cause.message)",
        cause.advice,
        problem: cause.problem)
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
    case .untrusted(let path, let refusal):
      self.init(
        .integrity, "\(Wording.input(path)): \(Output.shortened("\(refusal)"))",
        "Get a note from the owner of the list, and compare the key with theirs.")
    case .refusedProof(let path, let error): self.init(refusingProof: Wording.input(path), error)
    case .divergence(let place, let error):
      self.init(
        .diverged, "\(place) has another history: \(error)",
        """
        Somebody rewrote it, or it was restored from another store. A bundle or a copy from \
        somebody who has the kept cursor shows what was there.
        """)
    case .absentItem(let id, let place):
      self.init(
        .notFound, "\(place) has no item '\(Output.shortened(id.text))' in this version",
        "'listsync show LIST@VERSION --ids' shows the ids. They are compared byte by byte.")
    case .refusedCommit(let commit, let reason):
      self.init(
        .failure, "commit \(commit): \(reason)",
        """
        The commits before it are imported. Without --strict, such commits are reported and skipped.
        """)
    case .allSkipped(let count, let list, let head):
      self.init(
        .failure,
        "no version for \(list): all of \(Wording.count(count, "commit")) were skipped",
        head == .zero
          ? "Nothing was imported. Name what the reasons above tell, such as --id, and try again."
          : """
          \(list) stays at version \(head). Skipped commits are not read again: correct the file \
          in a new commit, or import into another list with --list.
          """)
    case .noFile:
      self.init(
        .failure, "the store is in a PostgreSQL database, which has no file of its own",
        "Back it up with 'pg_dump --schema listsync'. PostgreSQL frees space by itself.")
    case .declined: self.init(.failure, "not confirmed", "Nothing was changed.")
    case .otherHistory(let list, let head, let target, let other):
      self.init(
        .diverged,
        "\(list) diverged: \(target) has it at \(other.short), and the source at \(head.short)",
        """
        Both got commits of their own. Copy to another store, or drop or rename one of the lists.
        """)
    case .endsTooOld(let list, let end, let target, let oldest):
      self.init(
        .diverged,
        """
        the source ends at \(end.short), but \(list) of \(target) was pruned and begins at \
        \(oldest.short)
        """,
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
    case .missingProgram(let name, let place, let reason):
      self.init(
        .failure, "cannot start \(place): \(reason)",
        "Install \(name) next to listsync, or in a folder of PATH.")
    }
  }

  private init?(refusing path: String, _ error: any Error) {
    let file = Wording.input(path)
    switch error {
    case let exceeded as ExceededLimit:
      self.init(
        .failure, "\(file): \(exceeded)", Self.advice(on: exceeded.limit), problem: .tooLarge)
    case let error as DeltaError:
      self.init(
        .failure, "\(file): \(Output.shortened("\(error)"))",
        error.exceeded.map { Self.advice(on: $0.limit) }
          ?? """
          Nothing was changed. Make a delta with 'listsync delta LIST --since VERSION' or \
          'listsync edit LIST --dry-run'.
          """
      )
    case let error as EditError:
      let place = "\(file):\(error.position.line):\(error.position.column)"
      self.init(
        .failure, "\(place): \(Output.shortened(error.reason))",
        error.exceeded.map { Self.advice(on: $0.limit) }
          ?? """
          Nothing was changed. Write one edit per line, such as \
          {"put":{"id":"zion"},"after":"arches"}, {"remove":"zion"} or {"move":"zion","first":true}.
          """)
    case let error as BundleError: self.init(error, in: file)
    case let error as GzipError: self.init(error, in: file)
    case ServiceError.diverged(let cursor, let list, let here):
      self.init(diverged: cursor, in: file, list, at: here)
    default: self.init(error)
    }
  }

  private init(refusingProof file: String, _ error: ProofError) {
    let text = "\(file): \(Output.shortened("\(error)"))"
    switch error {
    case .document(let error):
      if let exceeded = error.exceeded {
        self.init(.failure, text, Self.advice(on: exceeded.limit))
      } else {
        self.init(.integrity, text, "It is no proof: 'listsync prove LIST ID' makes one.")
      }
    case .otherCursor:
      self.init(
        .diverged, text,
        """
        It is a proof about another history, or it ends at another version: 'listsync prove' \
        --until REV makes one that ends at yours.
        """)
    case .path, .wrongRoot, .wrongIndex, .wrongCount, .wrongHistory:
      self.init(.integrity, text, "The proof is damaged or forged. Trust nothing in it.")
    }
  }

  private init(_ error: FileError) {
    let (code, advice): (Code, String) =
      switch error {
      case .alreadyThere: (.failure, "Name another file, or add --force.")
      case .logIsThere: (.failure, "Name another file: this one is a database in use.")
      case .isDatabase: (.failure, "Name another file, or remove the database yourself.")
      case .cannotOpen, .inputOutput:
        (
          .inputOutput,
          "Check that the folder exists and is writable, and that there is free space."
        )
      }
    self.init(code, "\(error)", advice)
  }
}
