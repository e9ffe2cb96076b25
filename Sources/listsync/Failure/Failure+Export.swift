import SQLExport
import Terminal

extension Failure {
  init(_ error: ExportError) {
    let (code, advice): (Code, String) =
      switch error {
      case .notAnExport: (.failure, "Name another file with -o.")
      case .newer: (.failure, "Install a newer listsync, or name another file with -o.")
      case .alreadyThere: (.failure, "Name another file, or add --replace.")
      case .diverged:
        (
          .diverged,
          """
          The file is as it was. It may have versions that this store lost: look before you add \
          --replace, or name another file.
          """
        )
      case .pruned:
        (
          .diverged,
          """
          The file is as it was, and nothing proves any more that it has the same history. Add \
          --replace, or name another file.
          """
        )
      case .damaged:
        (.integrity, "Somebody changed them. Add --replace to write them again from the store.")
      case .busy:
        (.busy, "The versions that are in it stay. Close the other program, and try again.")
      case .diskFull: (.inputOutput, "Free some space, and try again: whole versions stay.")
      case .failed: (.inputOutput, "Check the disk, and try again: whole versions stay.")
      }
    self.init(code, Output.shortened("\(error)"), advice)
  }
}
