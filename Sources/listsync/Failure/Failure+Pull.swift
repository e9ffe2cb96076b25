import ListDocuments
import ListModel
import LocalFiles
import SyncClient

/// The table of the errors of a pull. The same errors of other verbs have other advice.
extension Failure {
  /// Nil for an error that this package does not define.
  init?(ofPull error: any Error) {
    let text = Output.shortened("\(error)")
    switch error {
    case let error as RefusedHead:
      self.init(Output.shortened("\(error.refusal)"), Self.row(of: error))
    case let error as ReplicaError: self.init(text, Self.row(of: error))
    case let error as InvalidSetting: self.init(error)
    case let error as OutputError:
      self.init(
        .inputOutput, "cannot write the answer: \(error.reason)",
        "\(Self.unchanged): the next pull gives the same changes again.")
    case let error as FileError:
      self.init(
        .inputOutput, "\(error)",
        "\(Self.unchanged): name a file that may be written and is no database, in a folder that "
          + "is there, check that there is room, and pull again.")
    case let error as PullTimeout:
      self.init(
        .inputOutput, "the pull took longer than \(Wording.count(error.seconds, "second"))",
        "Changes that were shown are saved: pull again, or give it longer with --timeout SECONDS.")
    default: return nil
    }
  }

  private static let unchanged = "Your copy is unchanged"
  private static let token =
    "Give a token that may read the list in LISTSYNC_TOKEN; 'listsync token create' makes one."

  private static func row(of error: ReplicaError) -> Row {
    switch error {
    case .badAddress: .usage(nil)
    case .badToken: .usage(token)
    case .missingLibrary:
      .failure("Install it: 'apt install libcurl4' on Debian and Ubuntu, or libcurl elsewhere.")
    case .foreignFile, .newerFile: .failure("Name another file with --copy.")
    case .otherSource: .failure("Name another file with --copy, one for each list and server.")
    case .damagedFile(let path, _):
      .integrity("Delete \(path) and pull again: the server has the list.")
    case .changedRows(let table, _, _):
      .integrity("Restore the rows of \(table), or empty it and begin again.")
    case .cannotOpen: .inputOutput("Check that the folder is there and may be written.")
    case .unauthenticated, .forbidden: .failure(token)
    case .noSuchList: .notFound("Check the name and the address; 'GET /v1/lists' shows all lists.")
    case .gone(_, let newName, _):
      .notFound("\(unchanged).\(newName.map { " Pull \($0) into another file." } ?? "")")
    case .refused(let status, _, _) where (300..<400).contains(status):
      .failure("Name the new address, if you trust it with your token.")
    case .refused: .failure("Check that the address is a listsyncd's.")
    case .answerTooLong: .failure(advice(on: .commitBytes))
    case .overLimit(let exceeded): .failure(advice(on: exceeded.limit))
    case .gaveUp(_, let cause): row(of: cause)
    case .askedToWait: .busy("\(unchanged): try again then, or wait longer with --timeout SECONDS.")
    case .mismatchAgain:
      .integrity("\(unchanged): run 'listsync verify' where the server's store is.")
    case .rewritten:
      .diverged(
        "\(unchanged), and shows what was there: keep it. To follow the server none the less, pull "
          + "into another file with --copy.")
    case .untrusted: .integrity(nil)
    case .unproven:
      .diverged("\(unchanged): pull without --prove, or into another file with --copy.")
    case .notSaved(_, let obstacle): .inputOutput(advice(on: obstacle))
    case .undecodable: .failure(nil)
    }
  }

  private static func row(of cause: Unavailability) -> Row {
    switch cause {
    case .status: .busy("\(unchanged): try again later.")
    case .behind:
      .busy(
        "\(unchanged). Try again when the head's time in the cache is over (max-age). If that does "
          + "not help, the cache has files of a former history: have it emptied for this list, or "
          + "pull from the web server itself.")
    case .untrusted:
      .inputOutput(
        "\(unchanged): check the host's name in the address, this machine's clock, and that its "
          + "certificates know who signed the server's.")
    case .network, .notFromServer, .misdelivered:
      .inputOutput("\(unchanged): check the address and the network, and try again.")
    }
  }

  private static func advice(on obstacle: SaveObstacle) -> String {
    switch obstacle {
    case .full: "\(unchanged): make room, and pull again."
    case .readOnly: "\(unchanged): its file and its folder must be writable."
    case .gone: "The copy was moved or deleted meanwhile: pull again."
    case .otherProgram: "The copy is the other program's: pull again, or name another with --copy."
    case .unfinished:
      "The copy comes back with the next pull: keep its file and its -journal together, check the "
        + "disk, and pull again."
    case .unknown: "\(unchanged): check the disk, and pull again."
    }
  }

  private static func row(of error: RefusedHead) -> Row {
    switch error.refusal {
    case .unsigned, .falseSignature, .otherList:
      .integrity("\(unchanged): ask the owner of the list.")
    case .otherKey: .integrity("\(unchanged): compare the key with that of the list's owner.")
    case .older:
      .diverged("\(unchanged). If the list was restored from a backup, pull into another file.")
    case .forked:
      .diverged(
        "\(unchanged). The owner of the key has signed two histories of the list: tell its other "
          + "readers. \(error.evidence ?? "")")
    }
  }
}
