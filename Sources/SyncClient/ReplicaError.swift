import ListModel

/// What a replica cannot go on from by itself.
public enum ReplicaError: Error, Equatable, Sendable {
  // When it is set up.

  /// Thrown when an address is not `http://` or `https://` with a host.
  case badAddress(String)
  /// Thrown when a token has characters that no header field can carry.
  case badToken

  // When a file is opened.

  /// Thrown when a file is not a replica's: another program's, or no database. It is not touched.
  case foreignFile(path: String)
  /// Thrown when a file holds the copy of another list, or from another server.
  case otherSource(path: String, found: String, expected: String)
  /// Thrown when a file was written by a newer version of this library.
  case newerFile(path: String, format: Int, known: Int)
  /// Thrown when a file does not hold what it must, or its list has not the checksum it was saved
  /// with.
  case damagedFile(path: String, reason: String)
  /// Thrown when the system or SQLite cannot open a file.
  case cannotOpen(path: String, reason: String)

  // When the server is asked.

  /// Thrown when the server wants a token, or does not know the one it was given (401).
  case unauthenticated(detail: String?)
  /// Thrown when the token does not allow to read the list (403).
  case forbidden(detail: String?)
  /// Thrown when the server has no such list, or none that the token allows to read (404).
  case noSuchList(ListName, detail: String?)
  /// Thrown when the server refuses the request for another reason that trying again cannot mend.
  case refused(status: Int, type: String?, detail: String?)
  /// Thrown when an answer has more bytes than are allowed.
  case answerTooLong(byteLimit: Int)
  /// Thrown when so many tries failed, where their number is limited; with the last one's cause.
  case gaveUp(tryCount: Int, Unavailability)
  /// Thrown when the server asks to wait longer than is allowed, where the number of tries is
  /// limited.
  case askedToWait(seconds: Double, Unavailability)

  // When an answer is taken.

  /// Thrown when an answer did not fit, or was damaged, the second time in a row: once the replica
  /// starts over by itself.
  case mismatchAgain(Mismatch)
  /// Thrown when an answer holds more than this client takes, which its own limits say.
  case overLimit(ExceededLimit)
  /// Thrown when the copy could not be saved.
  case notSaved(reason: String, cause: SaveObstacle = .unknown)

  // When items are decoded.

  /// Thrown when an item is not what the replica's element type is made from.
  case undecodable(id: ItemID, reason: String)
}

extension ReplicaError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badAddress(let text):
      "'\(text)' is not the address of a server: write http://HOST:PORT or https://HOST, "
        + "without name, password or query"
    case .badToken: "the token has characters that none has: spaces, line ends or others"
    case .foreignFile(let path): "\(path) is not the file of a replica; it was not touched"
    case .otherSource(let path, let found, let expected):
      "\(path) is a copy of \(found), not of \(expected); it was not touched"
    case .newerFile(let path, let format, let known):
      "\(path) has format \(format), and this program knows \(known); it was not touched"
    case .damagedFile(let path, let reason): "\(path) is damaged: \(reason)"
    case .cannotOpen(let path, let reason): "cannot open \(path): \(reason)"
    case .unauthenticated(let detail):
      "the server wants a valid token" + Self.suffix(detail)
    case .forbidden(let detail): "the token does not allow this" + Self.suffix(detail)
    case .noSuchList(let name, let detail):
      "the server has no list '\(name)', or the token may not read it" + Self.suffix(detail)
    case .refused(let status, let type, let detail):
      "the server refuses the request: status \(status)"
        + (type.map { ", \($0)" } ?? "") + Self.suffix(detail)
    case .answerTooLong(let byteLimit): "the answer has more than \(byteLimit) bytes"
    case .gaveUp(let tryCount, let cause):
      "gave up after \(tryCount) \(tryCount == 1 ? "try" : "tries"): \(cause)"
    case .askedToWait(let seconds, let cause):
      "the server asks to wait \(Int(seconds)) s, which is too long: \(cause)"
    case .mismatchAgain(let mismatch):
      "the server's answer is wrong again after starting over: \(mismatch)"
    case .overLimit(let exceeded): "the server's list is too large for this client: \(exceeded)"
    case .notSaved(let reason, _): "the copy could not be saved: \(reason)"
    case .undecodable(let id, let reason): "item '\(id)' cannot be decoded: \(reason)"
    }
  }

  private static func suffix(_ detail: String?) -> String { detail.map { ": \($0)" } ?? "" }
}

/// The obstacle to a save; each one needs another remedy.
public enum SaveObstacle: Equatable, Sendable {
  /// There is no room on the disk.
  case full
  /// The file, its folder or its disk may not be written.
  case readOnly
  /// The file was moved or deleted since it was opened.
  case gone
  /// Another program uses the file, or has written to it.
  case otherProgram
  case unknown
}

/// Why a try brought no answer, when the next one may.
public enum Unavailability: Error, Equatable, Sendable {
  /// The network or the server did not answer, or the answer was cut off.
  case network(reason: String)
  /// The server could not prove who it is: its certificate was not accepted.
  case untrusted(reason: String)
  /// The server cannot answer now: 408, 425, 429 or 5xx.
  case status(Int, detail: String?)
  /// What came is not from a ListSync server: a login page of the network, or a proxy's.
  case notFromServer(contentType: String)
  /// What came answers another question: it starts from a state that the copy is not at.
  case misdelivered
}

extension Unavailability: CustomStringConvertible {
  public var description: String {
    switch self {
    case .network(let reason): reason
    case .untrusted(let reason): "the server's certificate is not accepted: \(reason)"
    case .status(let status, let detail):
      "the server answers with status \(status)" + (detail.map { ": \($0)" } ?? "")
    case .notFromServer(let type): "the answer is of type '\(type)', and not from the server"
    case .misdelivered: "the answer is one to another question"
    }
  }
}
