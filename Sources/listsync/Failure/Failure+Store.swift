import ListDocuments
import ListModel
import ListStore
import PostgresStore
import SQLExport
import Synchronization
import Terminal

extension Failure {
  init(_ error: StoreError) {
    if case .foreign(let store) = error, HistoryExporter.isExport(store) {
      self.init(
        .failure, "\(Output.printable(store)) is an export for readers of SQL, and not a store",
        "Name the store that it was made from with --store, or read the file with 'sqlite3'.")
      return
    }
    let (code, advice) = Self.consequence(of: error)
    let store = error.namesFile ? nil : StoreOptions.opened.withLock { $0 }
    self.init(
      code, (store.map { "\(Output.printable($0)): " } ?? "") + "\(error)", advice,
      problem: Self.problem(of: error))
  }

  /// The kind of an error whose exit code says less.
  private static func problem(of error: StoreError) -> ProblemKind? {
    switch error {
    case .diskFull: .outOfSpace
    case .corrupt: .damaged
    case .listFull: .unprocessable
    default: nil
    }
  }

  private static func consequence(of error: StoreError) -> (Code, advice: String?) {
    let isServer = StoreOptions.opened.withLock { $0.map(PostgresStore.isAddress) } ?? false
    return switch error {
    case .notFound(_, let schemas):
      (
        .failure,
        schemas.isEmpty
          ? """
          Create it with 'listsync commit LIST FILE', or name another with --store or \
          LISTSYNC_STORE\(isServer ? ", and its schema with --schema" : "").
          """
          : "Name its schema: "
            + schemas.map { "--schema '\(Output.printable($0))'" }.joined(separator: " or ") + "."
      )
    case .notADatabase: (.failure, "Name a store with --store.")
    case .foreign:
      (.failure, isServer ? "Name another schema with --schema." : "Name a store with --store.")
    case .newer: (.failure, "Install a newer listsync.")
    case .older:
      (.failure, "Open it once to write: 'listsyncd' and each verb that writes upgrade it.")
    case .unreleased:
      (
        .failure,
        """
        Copy its lists with the version that wrote it: 'listsync bundle create LIST -o FILE' \
        there, 'listsync bundle apply FILE' here. Or import them again.
        """
      )
    case .cannotOpen: (.inputOutput, "Check that the folder exists and is writable.")
    case .unreachable(_, _, let remedy): (.inputOutput, remedy)
    case .notPermitted:
      (.inputOutput, "Nothing was changed. The owner of the schema can grant what is needed.")
    case .alreadyThere: (.failure, "Name another file, or add --force.")
    case .inUse:
      (.failure, "Name another file. The WAL is deleted when the last program closes its store.")
    case .notCopied:
      (
        .inputOutput,
        "No backup was made. Check that there is room, and the limit of file sizes (ulimit -f)."
      )
    case .busy:
      (.busy, "Nothing was changed. Try again, or wait longer: \(BusyWait.variable)=SECONDS.")
    case .readOnly:
      (
        .inputOutput,
        isServer
          ? "Nothing was changed. Name the primary, or add ?target_session_attrs=read-write."
          : "Nothing was changed. Check the permissions of the file and its folder."
      )
    case .replaced:
      (.inputOutput, "Run the same command again: it uses the new file.")
    case .diskFull: (.inputOutput, "Nothing was changed. Free some space and try again.")
    case .inputOutput:
      (
        .inputOutput,
        """
        Check the disk and the system's messages, then run 'listsync verify'. It is safe to run \
        the same command again.
        """
      )
    case .headMoved: (.busy, "Nothing was changed. Try again.")
    case .listFull:
      (.failure, "Nothing was changed. Continue in a new list; 'listsync limits' shows the limit.")
    case .duplicateItem, .wrongRoot: (.failure, "Nothing was changed.")
    case .corrupt: (.integrity, "Run 'listsync verify', and restore the store from a backup.")
    case .database: (.failure, nil)
    }
  }
}

extension StoreError {
  /// Whether the error's text names the file.
  fileprivate var namesFile: Bool {
    switch self {
    case .notFound, .notADatabase, .foreign, .newer, .older, .unreleased, .cannotOpen,
      .unreachable, .alreadyThere, .inUse, .notCopied, .replaced:
      true
    case .notPermitted, .busy, .readOnly, .diskFull, .inputOutput, .headMoved, .listFull,
      .duplicateItem, .wrongRoot, .corrupt,
      .database:
      false
    }
  }
}
