import Gzip
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

extension Call {
  /// The request's body, unpacked.
  ///
  /// - Throws: `Problem` of type `too-large` as soon as there are more bytes than a body may have, packed
  ///   or not; `.unsupportedMediaType` for a coding other than gzip; `.invalidRequest` for a body that ends early,
  ///   is no gzip file, or does not come in its time.
  func body(_ settings: ServerSettings) async throws -> [UInt8] {
    let isCoded = try isCoded()
    if let length = request.headers[.contentLength].flatMap({ Int($0) }),
      length > settings.bodyByteLimit
    {
      throw Problem.bodyTooLarge(settings)
    }
    try await askForBody()
    let (body, limit) = (request.body, settings.bodyByteLimit)
    return try await withTimeLimit(.seconds(settings.bodySeconds)) {
      var collected = CollectedBody(byteLimit: limit, isCoded: isCoded)
      for try await chunk in body {
        do {
          try collected.add(chunk.readableBytesView)
        } catch is CollectedBody.TooLong {
          throw Problem.bodyTooLarge(settings)
        } catch let error as GzipError {
          throw Problem(error)
        }
      }
      do {
        return try collected.finish()
      } catch let error as GzipError {
        throw Problem(error)
      }
    }
  }

  /// Tells a client that waits for it to send the body (RFC 9110, 10.1.1); one whose request is refused before
  /// sends none.
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

extension Problem {
  fileprivate static func bodyTooLarge(_ settings: ServerSettings) -> Problem {
    Problem(
      kind: .tooLarge, detail: "the body has more than \(settings.bodyByteLimit) bytes",
      members: Members(limit: ("body-bytes", settings.bodyByteLimit)))
  }
}
