import HTTPTypes
import Hummingbird
import ListDocuments
import NIOCore
import NIOHTTPTypes

extension Call {
  /// Runs what makes an answer of the request's body, unpacked.
  ///
  /// - Throws: `Problem` of type `too-large` as soon as there are more bytes than a body may have,
  ///   packed or not; `unsupported-media-type` for a coding other than gzip; `invalid-request` for
  ///   a body that ends early, is no gzip file, or does not come in its time; `busy` where too many
  ///   bytes of bodies are held; `unauthenticated` where the caller's token was revoked meanwhile;
  ///   what the closure throws.
  func withBody(
    of server: SyncServer, _ answer: ([UInt8]) async throws -> Answer
  ) async throws -> Answer {
    let share = BodyMemory.Share(of: server.bodyMemory)
    defer { share.giveBack() }
    let bytes = try await body(server.settings, share)
    try server.checkStillAdmitted(caller)
    return try await answer(bytes)
  }

  private func body(
    _ settings: ServerSettings, _ share: BodyMemory.Share
  ) async throws -> [UInt8] {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    let (body, isCoded) = (request.body, try isCoded())
    try CollectedBody.check(length ?? 0, settings.bodyByteLimit)
    try await askForBody()
    return try await withProgress(
      of: Self.leastByteCount, within: .seconds(settings.bodySeconds)
    ) { progress in
      var collected = CollectedBody(
        byteLimit: settings.bodyByteLimit, isCoded: isCoded, share: share)
      for try await chunk in Chunks(body) {
        progress.add(chunk.readableBytes)
        try collected.add(chunk.readableBytesView)
      }
      // Where the connection broke, or the server ends, the bytes may just stop.
      try Task.checkCancellation()
      return try collected.finish(length: length)
    }
  }

  /// How much of a body that is still coming must come in its time.
  private static var leastByteCount: Int { 1 << 20 }

  /// Tells a client that waits for it to send the body (RFC 9110, 10.1.1); one whose request is
  /// refused before sends none.
  private func askForBody() async throws {
    guard let connection, request.headers[.expect]?.lowercased() == "100-continue" else { return }
    try await connection.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
  }

  private func isCoded() throws(Problem) -> Bool {
    switch request.headers[.contentEncoding]?.lowercased() {
    case nil, "identity": false
    case "gzip", "x-gzip": true
    case let coding?:
      throw Problem(
        kind: .unsupportedMediaType,
        detail: "the coding '\(coding.shortened)' is not read here; send gzip or plain bytes")
    }
  }
}

/// The parts of a body; where the connection breaks or sends what is not HTTP, a problem follows.
private struct Chunks: AsyncSequence {
  private let body: RequestBody

  init(_ body: RequestBody) { self.body = body }

  func makeAsyncIterator() -> Iterator { Iterator(base: body.makeAsyncIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    var base: RequestBody.AsyncIterator

    mutating func next() async throws -> ByteBuffer? {
      do {
        return try await base.next()
      } catch let error as CancellationError {
        throw error
      } catch {
        throw Problem.cutOff
      }
    }
  }
}

extension Problem {
  static let cutOff = Problem.invalid("the body is not as long as the request says, or was cut off")
}
