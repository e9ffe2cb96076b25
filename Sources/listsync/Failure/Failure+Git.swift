import GitHistory
import ListModel
import Terminal

extension Failure {
  init(_ error: GitError) {
    switch error {
    case .noGit:
      self.init(
        .failure, "there is no git in any folder of PATH",
        "Install it: 'apt-get install git', 'brew install git' or from https://git-scm.com.")
    case .cannotRun(let reason): self.init(.inputOutput, "git cannot be run: \(reason)")
    case .failed(let reason):
      self.init(
        .failure, "git failed: \(Output.printable(reason))",
        "What was imported so far is kept. 'git fsck' checks the repository; then run this again.")
    case .notARepository(let path, let reason): self.init(noRepositoryAt: path, reason)
    case .notInside(let path):
      self.init(
        .usage, "'\(Output.printable(path))' does not name a file in the repository",
        "Write the path from the repository's root, as 'git ls-files' does there.")
    case .noSuchCommit(let name):
      self.init(
        .notFound, "the repository has no commit '\(Output.printable(name))'",
        "'git branch -a' and 'git tag' show its names; give one with --ref.")
    case .noSuchPath(let path, let ref):
      self.init(
        .notFound, "no commit of \(Output.printable(ref)) touched \(Output.printable(path))",
        """
        The path is taken from the repository's root; 'git ls-tree -r --name-only \
        \(Output.printable(ref))' shows what there is.
        """)
    case .isFolder(let path):
      self.init(
        .failure, "\(Output.printable(path)) is a folder", "Name the file in it that is the list.")
    case .shallow:
      self.init(
        .failure, "the clone is shallow: its history begins somewhere in the middle",
        "Nothing was imported: run 'git fetch --unshallow' there, and then this again.")
    case .rewritten(let position, let ref): self.init(rewritten: ref, at: position)
    case .missing(let blob):
      self.init(
        .failure, "the repository does not hold object \(blob)",
        """
        What was imported so far is kept. In a partial clone, 'git fetch --refetch --no-filter' \
        gets what is missing; 'git fsck' tells whether the repository is damaged.
        """)
    case .tooLarge(let blob, let byteCount):
      self.init(
        .failure, "object \(blob) has \(byteCount) bytes", Self.advice(on: .commitBytes))
    case .unexpected(let text):
      self.init(
        .failure, "git answered with \(Output.printable(text))",
        "'git --version' should be 2.25 or newer.")
    }
  }

  private init(noRepositoryAt path: String, _ reason: String?) {
    let said = reason.map { ": \(Output.printable($0))" } ?? ": there is no such folder"
    self.init(
      .failure, "\(Output.printable(path)) is not a git repository that can be read\(said)",
      "Name the folder of a clone, or a bare repository.")
  }

  private init(rewritten ref: String, at position: String) {
    self.init(
      .diverged,
      """
      the import stands at commit \(position), which the history of \(Output.printable(ref)) does \
      not hold
      """,
      """
      Nothing was imported. The history was rewritten, or it is another branch's or another \
      clone's: give the one it was with --ref, complete a shallow clone with 'git fetch \
      --unshallow', or import the new history as a list of its own with --list.
      """)
  }

  init(_ refused: RefusedCommit) {
    self.init(
      .failure, "commit \(refused.commit): \(refused.reason)",
      "The commits before it are imported. Without --strict such commits are skipped and reported.")
  }
}
