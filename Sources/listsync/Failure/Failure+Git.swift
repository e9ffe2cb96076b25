import GitHistory
import ListModel
import Terminal

extension Failure {
  init(_ error: GitError) {
    switch error {
    case .noGit:
      self.init(
        .failure, "git is not installed in any folder of PATH",
        "Install it with 'apt-get install git' or 'brew install git', or from https://git-scm.com.")
    case .cannotRun(let reason): self.init(.inputOutput, "git cannot be run: \(reason)")
    case .failed(let reason):
      self.init(
        .failure, "git failed: \(Output.printable(reason))",
        "Commits imported so far are kept. Check the repository with 'git fsck', and try again.")
    case .notARepository(let path, let reason):
      let reason = reason.map { Output.printable($0) } ?? "there is no such folder"
      self.init(
        .failure, "\(Output.printable(path)) is not a readable git repository: \(reason)",
        "Name the folder of a clone or of a bare repository.")
    case .notInside(let path):
      self.init(
        .usage, "'\(Output.printable(path))' does not name a file in the repository",
        "Write the path from the repository's root, as 'git ls-files' prints it there.")
    case .noSuchCommit(let name):
      self.init(
        .notFound, "the repository has no commit '\(Output.printable(name))'",
        "Name one with --ref; 'git branch -a' and 'git tag' list them.")
    case .noSuchPath(let path, let ref):
      self.init(
        .notFound, "no commit of \(Output.printable(ref)) touched \(Output.printable(path))",
        """
        Write the path from the repository's root; 'git ls-tree -r --name-only \
        \(Output.printable(ref))' lists the files.
        """)
    case .isFolder(let path):
      self.init(
        .failure, "\(Output.printable(path)) is a folder",
        "Name the file in it that holds the list.")
    case .shallow:
      self.init(
        .failure, "the clone is shallow: the beginning of its history is missing",
        "Nothing was imported. Run 'git fetch --unshallow' there, and try again.")
    case .rewritten(let position, let ref):
      self.init(
        .diverged,
        "the import is at commit \(position), which is not in the history of "
          + Output.printable(ref),
        """
        Nothing was imported. The history was rewritten, or belongs to another branch or clone. \
        Name the imported branch with --ref, complete a shallow clone with 'git fetch \
        --unshallow', or import the new history into another list with --list.
        """)
    case .missing(let blob):
      self.init(
        .failure, "the repository does not hold object \(blob)",
        """
        Commits imported so far are kept. In a partial clone, get the missing objects with 'git \
        fetch --refetch --no-filter', or leave out such commits with --skip-missing. 'git fsck' \
        tells whether the repository is damaged.
        """)
    case .tooLarge(let blob, let byteCount):
      self.init(
        .failure, "object \(blob) has \(byteCount) bytes", Self.advice(on: .commitBytes))
    case .unexpected(let text):
      self.init(
        .failure, "git printed an unexpected answer: \(Output.printable(text))",
        "Check that 'git --version' is 2.25 or newer.")
    }
  }
}
