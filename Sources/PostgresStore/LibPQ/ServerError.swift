import ListStore

/// An error that the server reported, or the loss of the connection.
struct ServerError: Error {
  /// SQLSTATE; empty if the connection failed.
  let code: String
  let message: String
  /// Whether the connection failed after the server had asked for a password.
  var isAboutPassword = false
  /// Whether a connection was lost before the first answer in a transaction.
  var isBeforeFirstAnswer = false
  /// Whether the last statement of a round trip failed, after the others had succeeded.
  var isOfLastStatement = false
  /// Whether a COMMIT failed, and it is unknown whether the server carried it out.
  var isAfterCommit = false

  static let duplicate = "23505"
  /// Division by zero. Only one statement divides: see `PostgresTransaction.replaceList(_:with:)`.
  static let otherHead = "22012"

  var isLostConnection: Bool {
    code.isEmpty || code.hasPrefix("08")
      || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(code)
  }
  /// Whether another transaction has changed the list.
  var isOfOtherHead: Bool { code == Self.otherHead }
  /// Whether the same transaction may succeed if it runs again, for example after a conflict with
  /// another one.
  var isConflict: Bool {
    ["40001", "40P01", Self.duplicate].contains(code) || isOfOtherSession
  }
  /// Whether a prepared statement was missing, or existed already, because a pooler gave this
  /// connection another session of the server.
  var isOfOtherSession: Bool { ["26000", "42P05"].contains(code) }
}

extension StoreError {
  /// Translates an error of the server. The text never contains bound values, since only the
  /// primary message is used.
  ///
  /// - Parameter store: the name of the store.
  /// - Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
  init(_ error: ServerError, store: String) {
    let reason = error.code.isEmpty ? error.message : "\(error.message) (SQLSTATE \(error.code))"
    switch error.code {
    case _ where error.isAfterCommit:
      self = .unreachable(store: store, reason: reason, remedy: error.remedy)
    case ServerError.otherHead: self = .headMoved
    case "53100": self = .diskFull
    case "25006": self = .readOnly(reason: reason)
    case "42501": self = .notPermitted(reason: reason)
    case "55P03", "40001", "40P01": self = .busy
    case "57014":
      self = .database(reason: "\(reason); the server's statement_timeout may be too short")
    case "58030", "58P01": self = .inputOutput(reason: reason)
    case "XX001", "XX002": self = .corrupt(reason: reason)
    // Unknown tables, columns and schemas. Statements contain no user input, so the schema is
    // damaged.
    case "42P01", "42703", "3F000": self = .corrupt(reason: reason)
    // A lost connection, a server that is starting, or one that lacks resources such as
    // connections.
    case let code where error.isLostConnection || code.hasPrefix("53"):
      self = .unreachable(store: store, reason: reason, remedy: error.remedy)
    default: self = .database(reason: reason)
    }
  }
}

extension ServerError {
  /// The advice for the user when a server cannot be used.
  var remedy: String {
    if isAfterCommit {
      return "Look whether the change was kept before you repeat it."
    }
    if isAboutPassword {
      return "Check the user, and give the right password in PGPASSWORD or in ~/.pgpass."
    }
    return "Check the address, and that the server runs and has room. Then try again."
  }
}
