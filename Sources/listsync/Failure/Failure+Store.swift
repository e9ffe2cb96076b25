import ListModel
import ListStore

extension Failure {
  init(_ error: StoreError) {
    let (code, advice) = Self.consequence(of: error)
    self.init(code, "\(error)", advice)
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
    case .listFull: (.failure, "Nothing was changed: go on in a new list.")
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
