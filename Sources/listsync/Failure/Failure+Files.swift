import Foundation
import GitHistory
import ListModel
import LocalFiles
import SQLExport
import SyncClient

/// The tables of the errors of output files, exports, replicas and git repositories.
extension Failure {
  init(_ error: FileError) {
    let row: Row =
      switch error {
      case .alreadyThere: .failure("Name another file, or add --force.")
      case .logIsThere: .failure("Name another file: this one is a database in use.")
      case .isDatabase: .failure("Name another file, or remove the database yourself.")
      case .cannotOpen, .inputOutput:
        .inputOutput("Check that the folder exists and is writable, and that there is free space.")
      }
    self.init("\(error)", row)
  }

  init(_ error: ExportError) {
    let row: Row =
      switch error {
      case .notAnExport: .failure("Name another file with -o.")
      case .newer: .failure("Install a newer listsync, or name another file with -o.")
      case .alreadyThere: .failure("Name another file, or add --replace.")
      case .diverged:
        .diverged(
          "The file is as it was. It may have versions that this store lost: look before you add "
            + "--replace, or name another file.")
      case .pruned:
        .diverged(
          "The file is as it was, and nothing proves any more that it has the same history. Add "
            + "--replace, or name another file.")
      case .damaged:
        .integrity("Somebody changed them. Add --replace to write them again from the store.")
      case .busy: .busy("The versions that are in it stay. Close the other program, and try again.")
      case .diskFull: .inputOutput("Free some space, and try again: whole versions stay.")
      case .failed: .inputOutput("Check the disk, and try again: whole versions stay.")
      }
    self.init(Output.shortened("\(error)"), row)
  }

  /// The error of a replica's file that is only read. A pull has a table of its own.
  init(_ error: ReplicaError) {
    let row: Row =
      switch error {
      case .damagedFile(let path, _):
        .integrity("Delete \(path) and pull again: the server has the list.")
      case .foreignFile: .failure("Name a file that 'listsync pull' keeps.")
      case .newerFile: .failure("Read it with the version of listsync that wrote it.")
      case .cannotOpen: .failure("Check its name and permissions.")
      default: .failure(nil)
      }
    self.init(Output.shortened("\(error)"), row)
  }

  init(_ error: GitError) {
    let row: Row =
      switch error {
      case .noGit:
        .failure(
          "Install it with 'apt-get install git' or 'brew install git', or from "
            + "https://git-scm.com.")
      case .cannotRun: .inputOutput(nil)
      case .failed:
        .failure("\(Self.importedStay) Check the repository with 'git fsck', and try again.")
      case .notARepository: .failure("Name the folder of a clone or of a bare repository.")
      case .notInside:
        .usage("Write the path from the repository's root, as 'git ls-files' prints it there.")
      case .noSuchCommit: .notFound("Name one with --ref; 'git branch -a' and 'git tag' list them.")
      case .noSuchPath(_, let ref):
        .notFound(
          "Write the path from the repository's root; 'git ls-tree -r --name-only "
            + "\(Output.printable(ref))' lists the files.")
      case .isFolder: .failure("Name the file in it that holds the list.")
      case .shallow:
        .failure("Nothing was imported. Run 'git fetch --unshallow' there, and try again.")
      case .rewritten:
        .diverged(
          "Nothing was imported. The history was rewritten, or belongs to another branch or clone. "
            + "Name the imported branch with --ref, complete a shallow clone with 'git fetch "
            + "--unshallow', or import the new history into another list with --list.")
      case .missing:
        .failure(
          "\(Self.importedStay) In a partial clone, get the missing objects with 'git fetch "
            + "--refetch --no-filter --no-tags'. In one that lacks only files, --skip-missing "
            + "leaves out such commits. 'git fsck' tells whether the repository is damaged.")
      case .noBlob: .failure("\(Self.importedStay) Check the repository with 'git fsck'.")
      case .tooLarge: .failure(Self.advice(on: .commitBytes))
      case .unexpected: .failure("Check that 'git --version' is 2.25 or newer.")
      }
    self.init(Self.text(of: error), row)
  }

  private static let importedStay = "Commits imported so far are kept."

  /// Git's own text keeps its lines, so that a command in it can be copied.
  private static func text(of error: GitError) -> String {
    let text: String
    switch error {
    case .failed: text = "\(error)"
    case .notARepository(let path, let reason?):
      text = "\(Output.printable(path)) is not a readable git repository: \(reason)"
    default: return Output.printable("\(error)")
    }
    return text.replacingOccurrences(of: "\t", with: "  ")
  }
}
