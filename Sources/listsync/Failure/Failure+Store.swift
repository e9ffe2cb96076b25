import ListModel
import ListStore
import Synchronization
import Terminal

extension Failure {
  init(_ error: StoreError) {
    let (code, advice) = Self.consequence(of: error)
    let store = error.namesFile ? nil : StoreOptions.opened.withLock { $0 }
    self.init(code, (store.map { "\(Output.printable($0)): " } ?? "") + "\(error)", advice)
  }

  private static func consequence(of error: StoreError) -> (Code, advice: String?) {
    switch error {
    case .notFound:
      (.failure, "'listsync commit' makes one; or name another with --store or LISTSYNC_STORE.")
    case .notADatabase, .foreign: (.failure, "Name a store with --store.")
    case .newer: (.failure, "Install a newer listsync.")
    case .cannotOpen: (.inputOutput, "Check that the folder is there and may be written.")
    case .alreadyThere: (.failure, "Name another file, or add --force.")
    case .inUse: (.failure, "Name another file; a log goes when the last program closes its store.")
    case .busy:
      (
        .busy,
        """
        Nothing was changed: try again, or wait longer, so many seconds as \
        \(BusyWait.variable) says.
        """
      )
    case .readOnly:
      (.inputOutput, "Nothing was changed: check the permissions of the file and its folder.")
    case .replaced:
      (.inputOutput, "Run the same again: it uses the file that is there now.")
    case .diskFull: (.inputOutput, "Nothing was changed: make room and try again.")
    case .inputOutput:
      (
        .inputOutput,
        """
        Check the disk and the system's log, then run 'listsync verify'; what is sent again is not \
        done twice.
        """
      )
    case .headMoved: (.busy, "Nothing was changed: try again.")
    case .listFull:
      (.failure, "Nothing was changed: go on in a new list; 'listsync limits' tells how many.")
    case .duplicateItem: (.failure, "Nothing was changed.")
    case .corrupt: (.integrity, "Run 'listsync verify', and restore the store from a backup.")
    case .database: (.failure, nil)
    }
  }
}

extension Failure {
  init(_ error: VacuumError) {
    let cause = Failure(error.cause)
    self.init(
      cause.code, "the space was not given back: \(cause.message)",
      "What was pruned stays pruned: run the same again to free its space.")
  }
}

extension StoreError {
  /// Whether its text says which file it is about.
  fileprivate var namesFile: Bool {
    switch self {
    case .notFound, .notADatabase, .foreign, .newer, .cannotOpen, .alreadyThere, .inUse, .replaced:
      true
    case .busy, .readOnly, .diskFull, .inputOutput, .headMoved, .listFull, .duplicateItem, .corrupt,
      .database:
      false
    }
  }
}
