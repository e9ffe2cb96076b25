import SyncClient

extension Failure {
  /// What a replica cannot go on from. The copy is what it was before, whatever the error.
  init(_ error: ReplicaError) {
    let message = Output.shortened("\(error)")
    switch error {
    case .badAddress, .badToken:
      self.init(.usage, message, error == .badToken ? Self.tokenAdvice : nil)
    case .foreignFile, .newerFile:
      self.init(.failure, message, "Name another file with --copy.")
    case .otherSource:
      self.init(.failure, message, "Name another file with --copy, one for each list and server.")
    case .damagedFile(let path, _):
      self.init(.integrity, message, "Delete \(path) and pull again: the server has the list.")
    case .cannotOpen:
      self.init(.inputOutput, message, "Check that the folder is there and may be written.")
    case .unauthenticated, .forbidden: self.init(.failure, message, Self.tokenAdvice)
    case .noSuchList:
      self.init(.notFound, message, "Check the name and the address; 'GET /v1/lists' tells them.")
    case .refused(let status, _, _) where (300..<400).contains(status):
      self.init(.failure, message, "The server has moved: name its new address.")
    case .refused: self.init(.failure, message, "Check that the address is a listsyncd's.")
    case .answerTooLong:
      self.init(.failure, message, "LISTSYNC_MAX_COMMIT_BYTES sets how many are allowed.")
    case .gaveUp(_, .status): self.init(.busy, message, "The copy is as it was: try again later.")
    case .gaveUp:
      self.init(
        .inputOutput, message,
        "The copy is as it was: check the address and the network, and try again.")
    case .mismatchAgain:
      self.init(
        .integrity, message,
        "The copy is as it was: run 'listsync verify' where the server's store is.")
    case .notSaved:
      self.init(
        .inputOutput, message, "The copy is as it was: make room, or let the other program finish.")
    case .undecodable: self.init(.failure, message)
    }
  }

  private static let tokenAdvice =
    "Give a token that may read the list in LISTSYNC_TOKEN; 'listsync token create' makes one."
}
