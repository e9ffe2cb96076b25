/// A connection to a server, for one thread at a time.
final class Connection {
  let libpq: LibPQ
  private let handle: OpaquePointer
  let counter: ConnectionCounter
  private var statements: PreparedStatements
  private var queued: [QueuedQuery] = []
  private var hasUnreadAnswer = false
  /// Whether the connection has failed, and must not be used again.
  private var isBroken = false
  private var isCopying = false
  /// The number of round trips in which all queries were answered without an error.
  private(set) var answerCount = 0
  /// Whether rows were copied, or statements queued whose result is ignored, since this was last
  /// set to false.
  var hasWritten = false

  private struct QueuedQuery {
    let sql: String
    let values: [Value]
    /// Whether the whole answer is in memory before its rows are passed on.
    var isShort = true
    var receive: (ResultRow) throws -> Void = { _ in }
  }

  /// Connects to a server, and waits for the outcome.
  ///
  /// - Throws: `ServerError` with an empty code when no server can be reached, or the server
  ///   refuses the connection.
  init(
    _ address: PostgresAddress, _ libpq: LibPQ, _ counter: ConnectionCounter,
    preparing support: PreparedStatements.Support
  ) throws(ServerError) {
    (self.libpq, self.counter) = (libpq, counter)
    statements = PreparedStatements(support)
    guard let handle = libpq.connect(to: address.parameters) else {
      throw ServerError(code: "", message: "out of memory")
    }
    self.handle = handle
    guard libpq.status(handle) == 0 else {
      throw ServerError(
        code: "", message: Self.message(libpq.errorMessage(handle)),
        isAboutPassword: libpq.connectionNeedsPassword(handle) == 1
          || libpq.connectionUsedPassword(handle) == 1)
    }
    // Drops notices, which libpq would write to standard error.
    _ = libpq.setNoticeProcessor(handle, { _, _ in }, nil)
  }

  deinit { libpq.finish(handle) }

  var isOpen: Bool { !isBroken && libpq.status(handle) == 0 }

  /// Whether the idle connection is still open, as far as this machine knows.
  var isStillOpen: Bool {
    // Reads what arrived, without waiting.
    if !hasUnreadAnswer { _ = libpq.consumeInput(handle) }
    return isOpen
  }

  /// The version of the server, such as 150018 for 15.18.
  var serverVersion: Int { Int(libpq.serverVersion(handle)) }

  /// Returns a message in one line, without the severity that libpq puts before it.
  private static func message(_ text: UnsafePointer<CChar>?) -> String {
    let text = text.map { String(cString: $0) } ?? ""
    return text.replacing(#/^(FATAL|ERROR|PANIC): +/#.anchorsMatchLineEndings(), with: "")
      .split(separator: "\n").joined(separator: " ")
  }

  /// Runs statements without values, such as the end of a transaction. Drops the queued statements.
  func run(_ sql: String) throws {
    abandonCopy()
    queued = []
    readAnswer()
    counter.addRoundTrip()
    guard let result = libpq.exec(handle, sql) else { throw lost() }
    defer { libpq.clear(result) }
    guard [ResultStatus.commandOK, ResultStatus.tuplesOK].contains(libpq.resultStatus(result))
    else { throw error(of: result) }
  }

  /// Runs a body in a transaction, which is undone if the body throws.
  func inTransaction(_ body: () throws -> Void) throws {
    try run("BEGIN")
    do {
      try body()
      try run("COMMIT")
    } catch {
      try? run("ROLLBACK")
      throw error
    }
  }

  /// Queues a statement whose result is ignored. It is sent together with the next query, which
  /// saves a round trip. That query throws the error of the statement.
  func queue(_ sql: String, _ values: [Value] = []) {
    queued.append(QueuedQuery(sql: sql, values: values))
    hasWritten = true
  }

  /// Queues a query. It is sent together with the next one, and its rows are passed on before those
  /// of the next one.
  ///
  /// - Parameters:
  ///   - rowCount: the largest possible number of rows; nil if it is not known.
  ///   - receive: receives each row; must not use this connection.
  func queueQuery(
    _ sql: String, _ values: [Value] = [], atMost rowCount: Int? = 1,
    receive: @escaping (ResultRow) throws -> Void
  ) {
    let isShort = (rowCount ?? .max) <= Self.fewRows
    queued.append(QueuedQuery(sql: sql, values: values, isShort: isShort, receive: receive))
  }

  /// Ends a transaction that only read, without waiting for the answer.
  func endReading() {
    abandonCopy()
    queued = []
    do {
      try send("ROLLBACK", [])
      hasUnreadAnswer = true
    } catch { hasUnreadAnswer = false }
  }

  /// Reads the answer that ``endReading()`` has not read.
  private func readAnswer() {
    if hasUnreadAnswer { drain() }
    hasUnreadAnswer = false
  }

  /// Runs the queued statements.
  func flush() throws {
    if !queued.isEmpty { try runQueued() }
  }

  /// Runs the queued statements and one more, in one round trip, and passes the rows of each to its
  /// receiver. A short answer is read into memory as a whole, which takes less time; the rows of a
  /// long one are passed on one by one, as they arrive.
  ///
  /// - Parameters:
  ///   - rowCount: the largest possible number of rows; nil if it is not known.
  ///   - receive: receives each row; must not use this connection.
  func query(
    _ sql: String, _ values: [Value] = [], atMost rowCount: Int? = nil,
    receive: (ResultRow) throws -> Void = { _ in }
  ) throws {
    try withoutActuallyEscaping(receive) { receive in
      queued.append(
        QueuedQuery(
          sql: sql, values: values, isShort: (rowCount ?? .max) <= Self.fewRows, receive: receive))
      try runQueued()
    }
  }

  private static let fewRows = 1024

  private func runQueued() throws {
    readAnswer()
    counter.addRoundTrip()
    let queries = queued
    queued = []
    guard libpq.enterPipelineMode(handle) == 1 else { throw lost() }
    var statements: [PreparedStatements.Statement?] = []
    for query in queries { statements.append(try send(query.sql, query.values)) }
    guard libpq.pipelineSync(handle) == 1 else { throw lost() }
    var failure: (any Error)?
    for (place, (query, statement)) in zip(queries, statements).enumerated() {
      let hadFailed = failure != nil
      failure = readPreparation(of: statement, failure)
      if !query.isShort { _ = libpq.setSingleRowMode(handle) }
      failure = readResult(failure, query.receive)
      if !hadFailed, place == queries.count - 1, var error = failure as? ServerError {
        error.isOfLastStatement = true
        failure = error
      }
    }
    if let sync = libpq.getResult(handle) { libpq.clear(sync) }
    _ = libpq.exitPipelineMode(handle)
    if let failure { throw failure }
    if !isOpen { throw lost() }
    answerCount += 1
  }

  /// Reads the results of one statement, and passes its rows to a receiver unless there was an
  /// error.
  ///
  /// - Returns: the first error: of an earlier statement, of this one, or of the receiver.
  private func readResult(
    _ earlier: (any Error)?, _ receive: (ResultRow) throws -> Void
  ) -> (any Error)? {
    var failure = earlier
    while let result = libpq.getResult(handle) {
      defer { libpq.clear(result) }
      switch libpq.resultStatus(result) {
      case ResultStatus.commandOK: break
      case ResultStatus.singleTuple, ResultStatus.tuplesOK:
        counter.addResult(rowCount: Int(libpq.ntuples(result)))
        guard failure == nil else { break }
        do {
          for row in 0..<libpq.ntuples(result) {
            try receive(ResultRow(libpq: libpq, result: result, row: row))
          }
        } catch {
          failure = error
        }
      // After an error, the server skips the statements up to the end of the pipeline.
      default: failure = failure ?? error(of: result)
      }
    }
    return failure
  }

  /// Reads the answer to the preparation of a statement.
  ///
  /// - Parameter statement: the statement; nil for one that cannot be prepared.
  /// - Returns: the first error: of an earlier statement, or of this one.
  private func readPreparation(
    of statement: PreparedStatements.Statement?, _ earlier: (any Error)?
  ) -> (any Error)? {
    guard let statement, !statement.isPrepared else { return earlier }
    var failure = earlier
    while let result = libpq.getResult(handle) {
      defer { libpq.clear(result) }
      if libpq.resultStatus(result) == ResultStatus.commandOK { continue }
      statements.remove(statement)
      failure = failure ?? error(of: result)
    }
    return failure
  }

  /// Sends a statement. A statement with values is prepared first, once per connection.
  ///
  /// - Returns: the prepared statement; nil for one that is not prepared.
  @discardableResult
  private func send(
    _ sql: String, _ values: [Value]
  ) throws(ServerError) -> PreparedStatements.Statement? {
    let encoded = values.map(\.encoded)
    let types = values.map(\.typeNumber)
    let statement = values.isEmpty ? nil : statements.statement(sql, types)
    let lengths = encoded.map { CInt($0?.count ?? 0) }
    let formats = [CInt](repeating: 1, count: values.count)
    // One buffer, since each pointer must stay valid during the call.
    let offsets = encoded.reduce(into: [0]) { $0.append($0.last! + ($1?.count ?? 0)) }
    let buffer = encoded.reduce(into: [UInt8]()) { $0 += $1 ?? [] } + [0]
    let isSent = buffer.withUnsafeBytes { bytes in
      let start = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
      let pointers = encoded.indices.map { encoded[$0] == nil ? nil : start + offsets[$0] }
      guard let statement else {
        return libpq.sendQueryParams(
          handle, sql, CInt(values.count), types, pointers, lengths, formats, 1)
      }
      if !statement.isPrepared {
        let isSent = libpq.sendPrepare(handle, statement.name, sql, CInt(types.count), types)
        if isSent == 0 { return 0 }
        statements.add(statement)
        counter.addPreparation()
      }
      return libpq.sendQueryPrepared(
        handle, statement.name, CInt(values.count), pointers, lengths, formats, 1)
    }
    if isSent == 0 { throw lost() }
    return statement
  }

  /// Begins to copy rows into a table, by COPY in the binary format. Until ``endCopy()``, only
  /// ``putCopy(_:)`` may use the connection; ``run(_:)`` cancels the copy.
  func beginCopy(into target: String) throws {
    try flush()
    readAnswer()
    counter.addRoundTrip()
    hasWritten = true
    guard let start = libpq.exec(handle, "COPY \(target) FROM STDIN (FORMAT binary)") else {
      throw lost()
    }
    defer { libpq.clear(start) }
    guard libpq.resultStatus(start) == ResultStatus.copyIn else { throw error(of: start) }
    isCopying = true
  }

  func putCopy(_ bytes: [UInt8]) throws {
    let isSent = bytes.withUnsafeBytes { bytes in
      libpq.putCopyData(
        handle, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), CInt(bytes.count))
    }
    if isSent != 1 { throw lost() }
  }

  func endCopy() throws {
    isCopying = false
    if libpq.putCopyEnd(handle, nil) != 1 { throw lost() }
    if let error = drain() { throw error }
  }

  private func abandonCopy() {
    guard isCopying else { return }
    isCopying = false
    _ = libpq.putCopyEnd(handle, "the rows could not be made")
    drain()
  }

  /// Reads and drops all results.
  ///
  /// - Returns: the first error among them.
  @discardableResult
  private func drain() -> ServerError? {
    var failure: ServerError?
    while let result = libpq.getResult(handle) {
      defer { libpq.clear(result) }
      if libpq.resultStatus(result) != ResultStatus.commandOK {
        failure = failure ?? error(of: result)
      }
    }
    return failure
  }

  /// Returns the error of a lost connection, and marks the connection as failed.
  private func lost() -> ServerError {
    isBroken = true
    let message = Self.message(libpq.errorMessage(handle))
    return ServerError(
      code: "", message: message.isEmpty ? "the connection was lost" : message)
  }

  private func error(of result: OpaquePointer) -> ServerError {
    let code = libpq.resultErrorField(result, ErrorField.sqlState)
    guard let code else { return lost() }
    let error = ServerError(
      code: String(cString: code),
      message: Self.message(libpq.resultErrorField(result, ErrorField.primaryMessage)))
    isBroken = isBroken || error.isLostConnection
    if error.isOfOtherSession { statements.support.end() }
    return error
  }
}
