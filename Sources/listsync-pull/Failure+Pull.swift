import ListModel
import LocalFiles
import SyncClient
import Terminal

/// Maps every error of this program to a text and an exit code.
extension Failure {
  /// Nil for an error of another package.
  init?(_ error: any Error) {
    switch error {
    case let error as RefusedHead: self.init(error)
    case let error as ReplicaError: self.init(error)
    case let error as InvalidSetting: self.init(error)
    case let error as OutputError:
      self.init(
        .inputOutput, "cannot write the answer: \(error.reason)",
        "Your copy is unchanged: the next pull gives the same changes again.")
    case let error as FileError:
      self.init(
        .inputOutput, "\(error)",
        """
        Your copy is unchanged: name a file that may be written and is no database, in a folder \
        that is there, check that there is room, and pull again.
        """)
    case let error as PullTimeout:
      self.init(
        .inputOutput, "the pull took longer than \(Wording.count(error.seconds, "second"))",
        "Changes that were shown are saved: pull again, or give it longer with --timeout SECONDS.")
    default: return nil
    }
  }

  /// The copy is unchanged after each of these errors.
  private init(_ error: ReplicaError) {
    let message = Output.shortened("\(error)")
    let (code, advice) = Self.consequence(of: error)
    self.init(code, message, advice)
  }

  private static func consequence(of error: ReplicaError) -> (Code, advice: String?) {
    switch error {
    case .badAddress: (.usage, nil)
    case .badToken: (.usage, tokenAdvice)
    case .foreignFile, .newerFile: (.failure, "Name another file with --copy.")
    case .otherSource: (.failure, "Name another file with --copy, one for each list and server.")
    case .damagedFile(let path, _):
      (.integrity, "Delete \(path) and pull again: the server has the list.")
    case .cannotOpen: (.inputOutput, "Check that the folder is there and may be written.")
    case .unauthenticated, .forbidden: (.failure, tokenAdvice)
    case .noSuchList:
      (.notFound, "Check the name and the address; 'GET /v1/lists' shows all lists.")
    case .gone(_, let newName, _):
      (
        .notFound,
        "Your copy is unchanged. \(newName.map { "Pull \($0) into another file." } ?? "")"
      )
    case .refused(let status, _, _) where (300..<400).contains(status):
      (.failure, "Name the new address, if you trust it with your token.")
    case .refused: (.failure, "Check that the address is a listsyncd's.")
    case .answerTooLong: (.failure, advice(on: .commitBytes))
    case .overLimit(let exceeded): (.failure, advice(on: exceeded.limit))
    case .gaveUp(_, let cause): consequence(of: cause)
    case .askedToWait:
      (.busy, "Your copy is unchanged: try again then, or wait longer with --timeout SECONDS.")
    case .mismatchAgain:
      (.integrity, "Your copy is unchanged: run 'listsync verify' where the server's store is.")
    case .rewritten:
      (
        .diverged,
        """
        Your copy is unchanged, and shows what was there: keep it. To follow the server none the \
        less, pull into another file with --copy.
        """
      )
    case .untrusted: (.integrity, nil)
    case .unproven:
      (.diverged, "Your copy is unchanged: pull without --prove, or into another file with --copy.")
    case .notSaved(_, let obstacle): (.inputOutput, advice(on: obstacle))
    case .undecodable: (.failure, nil)
    }
  }

  private static func consequence(of cause: Unavailability) -> (Code, advice: String?) {
    switch cause {
    case .status: (.busy, "Your copy is unchanged: try again later.")
    case .behind:
      (
        .busy,
        """
        Your copy is unchanged. Try again when the head's time in the cache is over (max-age). If \
        that does not help, the cache has files of a former history: have it emptied for this \
        list, or pull from the web server itself.
        """
      )
    case .untrusted:
      (
        .inputOutput,
        """
        Your copy is unchanged: check the host's name in the address, this machine's clock, and \
        that its certificates know who signed the server's.
        """
      )
    case .network, .notFromServer, .misdelivered:
      (
        .inputOutput,
        "Your copy is unchanged: check the address and the network, and try again."
      )
    }
  }

  private static func advice(on obstacle: SaveObstacle) -> String {
    switch obstacle {
    case .full: "Your copy is unchanged: make room, and pull again."
    case .readOnly: "Your copy is unchanged: its file and its folder must be writable."
    case .gone: "The copy was moved or deleted meanwhile: pull again."
    case .otherProgram: "The copy is the other program's: pull again, or name another with --copy."
    case .unfinished:
      """
      The copy comes back with the next pull: keep its file and its -journal together, check the \
      disk, and pull again.
      """
    case .unknown: "Your copy is unchanged: check the disk, and pull again."
    }
  }

  private static let tokenAdvice =
    "Give a token that may read the list in LISTSYNC_TOKEN; 'listsync token create' makes one."
}
