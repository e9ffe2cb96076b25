import ListDocuments
import ListModel

/// An error from which a replica cannot continue by itself.
public enum ReplicaError: Error, Equatable, Sendable {
  // When it is set up.

  /// Thrown when an address is not `http://` or `https://` with a host.
  case badAddress(String)
  /// Thrown when a token has characters that a header field cannot contain.
  case badToken

  /// Thrown when this machine lacks a library that the transport needs.
  case missingLibrary(reason: String)

  // When a file is opened.

  /// Thrown when a file is not a replica's. It is unchanged.
  case foreignFile(path: String)
  /// Thrown when a file holds the copy of another list, or from another server.
  case otherSource(path: String, found: String, expected: String)
  /// Thrown when a file was written by a newer version of this library.
  case newerFile(path: String, format: Int, known: Int)
  /// Thrown when a file is incomplete, or its list does not have the saved root.
  case damagedFile(path: String, reason: String)
  /// Thrown when somebody else has changed rows of the app's table: the items that differ, and
  /// how. Nothing was written.
  case changedRows(table: String, ids: [ItemID], reason: String)
  /// Thrown when the system or SQLite cannot open a file.
  case cannotOpen(path: String, reason: String)

  // When the server is asked.

  /// Thrown when the server requires a token, or does not know the given one (401).
  case unauthenticated(detail: String?)
  /// Thrown when the token does not allow reading the list (403).
  case forbidden(detail: String?)
  /// Thrown when the server has no such list, or the token does not allow reading it (404).
  case noSuchList(ListName, detail: String?)
  /// Thrown when the list was dropped, or renamed (410). The copy is the last one that the server
  /// gave; `newName` is the present name of a renamed list, if the server tells it.
  case gone(ListName, newName: ListName?, detail: String?)
  /// Thrown when the server refuses the request for another permanent reason.
  case refused(status: Int, type: String?, detail: String?)
  /// Thrown when an answer has more bytes than are allowed.
  case answerTooLong(byteLimit: Int)
  /// Thrown when all tries of a limited number have failed; has the cause of the last failure.
  case gaveUp(tryCount: Int, Unavailability)
  /// Thrown when tries are limited, and the server asks to wait longer than allowed.
  case askedToWait(seconds: Double, Unavailability)

  // When an answer is applied.

  /// Thrown when a second consecutive answer was damaged or did not fit. After the first one the
  /// replica starts over.
  case mismatchAgain(Mismatch)
  /// Thrown when the server's new version does not continue the history of the copy: the server has
  /// rewritten it. The copy is unchanged, as evidence.
  case rewritten(from: Cursor, to: Cursor)
  /// Thrown when the history must be proved, and the server no longer has the versions between.
  case unproven(from: Cursor, to: Cursor)
  /// Thrown when a key was given, and the head of an answer is not accepted. The copy is unchanged.
  case untrusted(HeadRefusal)
  /// Thrown when an answer exceeds a limit of the client.
  case overLimit(ExceededLimit)
  /// Thrown when the copy could not be saved.
  case notSaved(reason: String, cause: SaveObstacle = .unknown)

  // When items are decoded.

  /// Thrown when an item cannot be decoded as the replica's element type.
  case undecodable(id: ItemID, reason: String)
}

extension ReplicaError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badAddress(let text):
      "'\(text)' is not the address of a server: write http://HOST:PORT or https://HOST, "
        + "without name, password or query"
    case .badToken: "the token has characters that no token has, such as spaces or line ends"
    case .missingLibrary(let reason): reason
    case .foreignFile(let path): "\(path) is not the file of a replica; it was not touched"
    case .otherSource(let path, let found, let expected):
      "\(path) is a copy of \(found), not of \(expected); it was not touched"
    case .newerFile(let path, let format, let known):
      "\(path) has format \(format), and this program knows \(known); it was not touched"
    case .damagedFile(let path, let reason): "\(path) is damaged: \(reason)"
    case .changedRows(let table, _, let reason):
      "the table \(table) was changed by somebody else than its replica: \(reason)"
    case .cannotOpen(let path, let reason): "cannot open \(path): \(reason)"
    case .unauthenticated(let detail):
      "the server wants a valid token" + Self.suffix(detail)
    case .forbidden(let detail): "the token does not allow this" + Self.suffix(detail)
    case .noSuchList(let name, let detail):
      "the server has no list '\(name)', or the token may not read it" + Self.suffix(detail)
    case .gone(let name, let newName, let detail):
      "the list '\(name)' is gone" + (newName.map { ", and is called '\($0)' now" } ?? "")
        + Self.suffix(detail)
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
    case .rewritten(let from, let to):
      "the server has rewritten the list's history: \(to.short) does not continue \(from.short)"
    case .unproven(let from, let to):
      """
      the server no longer has the versions that would prove that \(to.short) continues \
      \(from.short)
      """
    case .untrusted(let refusal): "\(refusal)"
    case .overLimit(let exceeded): "the server's list is too large for this client: \(exceeded)"
    case .notSaved(let reason, _): "the copy could not be saved: \(reason)"
    case .undecodable(let id, let reason): "item '\(id)' cannot be decoded: \(reason)"
    }
  }

  private static func suffix(_ detail: String?) -> String { detail.map { ": \($0)" } ?? "" }
}

/// The obstacle to a save. Each one needs another remedy.
public enum SaveObstacle: Equatable, Sendable {
  /// The disk is full.
  case full
  /// The file, its folder or its disk is not writable.
  case readOnly
  /// The file was moved or deleted since it was opened.
  case gone
  /// Another program uses the file, or has written to it.
  case otherProgram
  /// The failed save could not be rolled back either. The next opening rolls it back, with the
  /// journal next to the file.
  case unfinished
  case unknown
}

/// A temporary failure of a try.
public enum Unavailability: Error, Equatable, Sendable {
  /// The network or the server did not answer, or the answer was cut off.
  case network(reason: String)
  /// The server's certificate was not accepted.
  case untrusted(reason: String)
  /// The server cannot answer now: 408, 425, 429 or 5xx.
  case status(Int, detail: String?)
  /// The answer is not from a ListSync server, but a page of a network login or a proxy.
  case notFromServer(contentType: String)
  /// The answer starts from another state than the copy's.
  case misdelivered
  /// A publication is not yet as new as the copy, or a file that its head names is not there.
  case behind(reason: String)
}

extension Unavailability: CustomStringConvertible {
  public var description: String {
    switch self {
    case .network(let reason): reason
    case .untrusted(let reason): "the server's certificate is not accepted: \(reason)"
    case .status(let status, let detail):
      "the server answers with status \(status)" + (detail.map { ": \($0)" } ?? "")
    case .notFromServer(let type): "the answer has type '\(type)', so it is not from the server"
    case .misdelivered: "the answer belongs to another request"
    case .behind(let reason): "the publication, or a cache of it, is behind: \(reason)"
    }
  }
}

/// The reason for which a complete answer of the server was refused: it is damaged, or does not fit
/// the copy.
public enum Mismatch: Error, Equatable, Sendable {
  /// The document cannot be read, does not fit the copy, or leads to another list than it promises.
  case document(DeltaError)
  /// The document names no cursor to continue from.
  case noCursor
  /// The document is about another list.
  case otherList(ListName?)
  /// The document leads to a version that is not later than the copy's.
  case noProgress(to: Cursor)
  /// The server sent this many consecutive pages without a change, and each announced more.
  case emptyPages(count: Int)
}

extension Mismatch: CustomStringConvertible {
  public var description: String {
    switch self {
    case .document(let error): "\(error)"
    case .noCursor: "the answer names no cursor to continue from"
    case .otherList(let name): "the answer is about \(name.map { "list '\($0)'" } ?? "no list")"
    case .noProgress(let cursor):
      "the answer's changes lead to \(cursor.short), which is no later version"
    case .emptyPages(let count): "\(count) answers in a row bring no change, and promise more"
    }
  }
}
