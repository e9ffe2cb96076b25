import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import NIOCore
import NIOHTTPTypes

extension Call {
  /// Reads and decodes the request's body, and runs a closure that answers it.
  ///
  /// - Throws: `Problem` of type `too-large` as soon as the body has more bytes than allowed, coded
  ///   or not; `unsupported-media-type` for a coding other than gzip; `invalid-request` for a body
  ///   that ends early, is invalid gzip, or comes too slowly; `busy` if too many bytes of bodies
  ///   are in memory; `unauthenticated` if the caller's token was revoked meanwhile; the closure's
  ///   errors.
  func withBody(
    of server: SyncServer, _ answer: @escaping @Sendable ([UInt8]) async throws -> Answer
  ) async throws -> Answer {
    let share = BodyMemory.Share(of: server.bodyMemory)
    defer { share.release() }
    let bytes = try await body(server.settings, share)
    try server.checkStillAdmitted(caller)
    if bytes.count < LongWork.leastByteCount { return try await answer(bytes) }
    return try await whileClientWaits {
      try await server.longBodies.run { try await answer(bytes) }
    }
  }

  private func body(_ settings: ServerSettings, _ share: BodyMemory.Share) async throws -> [UInt8] {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    let (body, isCompressed) = (request.body, try isCompressed())
    try CollectedBody.check(length ?? 0, settings.bodyByteLimit)
    try await Self.orCutOff { try await requestBody() }
    return try await withProgress(
      of: Self.leastByteCount, within: .seconds(settings.bodySeconds)
    ) { received in
      var collected = CollectedBody(
        byteLimit: settings.bodyByteLimit, isCompressed: isCompressed, share: share)
      var chunks = body.makeAsyncIterator()
      while let chunk = try await Self.orCutOff({ try await chunks.next() }) {
        received.add(chunk.readableBytes)
        try collected.add(chunk.readableBytesView)
      }
      // If the connection broke or the server ends, the bytes may just stop.
      try Task.checkCancellation()
      return try collected.finish(length: length)
    }
  }

  /// A broken connection and invalid HTTP become a problem.
  private static func orCutOff<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw Problem.cutOff
    }
  }

  /// This much of a body must come within the time limit.
  private static var leastByteCount: Int { 1 << 20 }

  /// Tells a client that waits for it to send the body (RFC 9110, 10.1.1). If the request is
  /// refused before, such a client sends no body.
  private func requestBody() async throws {
    guard let connection = context.connection,
      request.headers[.expect]?.lowercased() == "100-continue"
    else { return }
    try await connection.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
  }

  private func isCompressed() throws(Problem) -> Bool {
    switch request.headers[.contentEncoding]?.lowercased() {
    case nil, "identity": false
    case "gzip", "x-gzip": true
    case let coding?:
      throw Problem(
        kind: .unsupportedMediaType,
        detail: "the coding '\(coding.shortened)' is not supported; send gzip or plain bytes")
    }
  }
}

/// Runs a body that must end, or receive enough bytes, within each period of the limit. A slow but
/// steady sender has unlimited time.
///
/// - Parameter least: how many bytes the body must count within the limit.
/// - Throws: `Problem` of type `invalid-request` if it counts fewer; the body's errors.
func withProgress<Result: Sendable>(
  of least: Int, within limit: Duration, clock: any Clock<Duration> = ContinuousClock(),
  _ body: @escaping @Sendable (ByteCounter) async throws -> Result
) async throws -> Result {
  let received = ByteCounter()
  return try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await body(received) }
    group.addTask {
      var before = 0
      while true {
        try await clock.sleep(for: limit)
        let now = received.count
        guard now - before >= least else {
          throw Problem.invalid("neither the body nor \(least) bytes of it came within \(limit)")
        }
        before = now
      }
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}

extension Problem {
  static let cutOff = Problem.invalid("the body is not as long as the request says, or was cut off")
}
