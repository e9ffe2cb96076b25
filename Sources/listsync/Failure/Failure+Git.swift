import Foundation
import GitHistory
import ListModel
import Terminal

extension Failure {
  init(_ error: GitError) {
    let (code, advice) = Self.consequence(of: error)
    self.init(code, Self.text(of: error), advice)
  }

  /// Git's own text keeps its lines, so that a command in it can be copied.
  private static func text(of error: GitError) -> String {
    switch error {
    case .failed(let reason): lines("git failed: \(reason)")
    case .notARepository(let path, let reason?):
      lines("\(Output.printable(path)) is not a readable git repository: \(reason)")
    default: Output.printable("\(error)")
    }
  }

  private static func lines(_ text: String) -> String {
    text.replacingOccurrences(of: "\t", with: "  ")
  }

  private static func consequence(of error: GitError) -> (Code, advice: String?) {
    switch error {
    case .noGit:
      (
        .failure,
        "Install it with 'apt-get install git' or 'brew install git', or from https://git-scm.com."
      )
    case .cannotRun: (.inputOutput, nil)
    case .failed:
      (
        .failure,
        "Commits imported so far are kept. Check the repository with 'git fsck', and try again."
      )
    case .notARepository: (.failure, "Name the folder of a clone or of a bare repository.")
    case .notInside:
      (.usage, "Write the path from the repository's root, as 'git ls-files' prints it there.")
    case .noSuchCommit: (.notFound, "Name one with --ref; 'git branch -a' and 'git tag' list them.")
    case .noSuchPath(_, let ref):
      (
        .notFound,
        """
        Write the path from the repository's root; 'git ls-tree -r --name-only \
        \(Output.printable(ref))' lists the files.
        """
      )
    case .isFolder: (.failure, "Name the file in it that holds the list.")
    case .shallow:
      (.failure, "Nothing was imported. Run 'git fetch --unshallow' there, and try again.")
    case .rewritten:
      (
        .diverged,
        """
        Nothing was imported. The history was rewritten, or belongs to another branch or clone. \
        Name the imported branch with --ref, complete a shallow clone with 'git fetch \
        --unshallow', or import the new history into another list with --list.
        """
      )
    case .missing:
      (
        .failure,
        """
        Commits imported so far are kept. In a partial clone, get the missing objects with 'git \
        fetch --refetch --no-filter --no-tags'. In one that lacks only files, --skip-missing \
        leaves out such commits. 'git fsck' tells whether the repository is damaged.
        """
      )
    case .noBlob:
      (.failure, "Commits imported so far are kept. Check the repository with 'git fsck'.")
    case .tooLarge: (.failure, advice(on: .commitBytes))
    case .unexpected: (.failure, "Check that 'git --version' is 2.25 or newer.")
    }
  }
}
