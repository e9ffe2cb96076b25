import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import SyncServer

@Suite struct MessageFramingTests {
  private func channel() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(MessageFraming())
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  private func ask(
    _ channel: EmbeddedChannel, _ method: HTTPMethod = .GET, _ version: HTTPVersion = .http1_1,
    _ headers: HTTPHeaders = [:], isWhole: Bool = true
  ) throws {
    let head = HTTPRequestHead(version: version, method: method, uri: "/", headers: headers)
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    if isWhole { try channel.writeInbound(HTTPServerRequestPart.end(nil)) }
  }

  private func answer(
    _ channel: EmbeddedChannel, _ status: HTTPResponseStatus = .ok, _ headers: HTTPHeaders = [:]
  ) throws -> [HTTPServerResponsePart] {
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    // Writing after the end of a connection fails, as on a socket.
    _ = try? channel.writeOutbound(HTTPServerResponsePart.head(head))
    _ = try? channel.writeOutbound(HTTPServerResponsePart.end(nil))
    channel.flush()
    var parts: [HTTPServerResponsePart] = []
    while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
      parts.append(part)
    }
    return parts
  }

  private func beginning(_ parts: [HTTPServerResponsePart]) -> HTTPResponseHead? {
    if case .head(let head)? = parts.first { head } else { nil }
  }

  @Test func onlyAnAnswerToHeadWithoutALengthEndsWithItsHeaders() throws {
    let channel = try channel()
    // All requests arrive before the first is answered.
    for method: HTTPMethod in [.HEAD, .GET, .HEAD, .GET] { try ask(channel, method) }
    for (headers, hasEnd): (HTTPHeaders, Bool) in [
      ([:], false), ([:], true), (["Content-Length": "7"], true), (["Content-Length": "7"], true),
    ] {
      let end = try answer(channel, .ok, headers).last
      if case .end = end { #expect(hasEnd) } else { #expect(!hasEnd) }
    }
    _ = try? channel.finish()
  }

  @Test func answerToHTTP10HasNoChunksAndEndsItsConnection() throws {
    let channel = try channel()
    try ask(channel, .GET, .http1_0, ["Connection": "keep-alive"])
    let head = try #require(beginning(try answer(channel)))
    #expect(head.version == .http1_0)
    #expect(head.headers["connection"] == ["close"])
    #expect(try channel.readInbound(as: HTTPServerRequestPart.self) != nil)
  }

  @Test(arguments: ["close", "Close", "keep-alive, CLOSE", " close "])
  func answerRepeatsARequestedConnectionClose(_ value: String) throws {
    let channel = try channel()
    try ask(channel, .GET, .http1_1, ["Connection": value])
    guard case .head(let asked)? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
      Issue.record("the request does not arrive")
      return
    }
    #expect(asked.headers["connection"] == ["close"])
    #expect(beginning(try answer(channel))?.headers["connection"] == ["close"])
  }

  @Test func requestsAfterAConnectionCloseAreIgnored() throws {
    let channel = try channel()
    try ask(channel, .PUT, isWhole: false)
    #expect(try answer(channel, .payloadTooLarge, ["Connection": "close"]).count == 2)
    _ = try channel.readInbound(as: HTTPServerRequestPart.self)
    // The server reads the rest of the refused body, so the client can read the answer.
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
    #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == .end(nil))
    try ask(channel, .PUT)
    #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
  }

  @Test func keepAliveConnectionsStayOpen() throws {
    let channel = try channel()
    for _ in 0..<3 {
      try ask(channel, .GET, .http1_1, ["Connection": "keep-alive"])
      let head = try #require(beginning(try answer(channel)))
      #expect(head.version == .http1_1 && head.headers["connection"].isEmpty)
    }
    _ = try? channel.finish()
  }

  @Test func invalidRequestGetsOneProblemAsItsAnswer() throws {
    let channel = try channel()
    let parts = try answer(channel, .badRequest, ["Content-Length": "0"])
    let head = try #require(beginning(parts))
    #expect(head.status == .badRequest)
    #expect(head.headers["content-type"] == ["application/problem+json"])
    guard parts.count == 3, case .body(.byteBuffer(let body)) = parts[1] else {
      Issue.record("there is no body")
      return
    }
    #expect(head.headers["content-length"] == ["\(body.readableBytes)"])
    #expect(String(buffer: body).contains("urn:listsync:problem:invalid-request"))
  }

  @Test func requestThatBreaksAfterItsAnswerGetsNoSecondAnswer() throws {
    let channel = try channel()
    try ask(channel, .PUT, isWhole: false)
    #expect(try answer(channel, .notFound).count == 2)
    #expect(try answer(channel, .badRequest, ["Content-Length": "0"]).isEmpty)
  }

  @Test func http10ClientReceivesNoContinueStatus() throws {
    for (version, count): (HTTPVersion, Int) in [(.http1_0, 0), (.http1_1, 1)] {
      let channel = try channel()
      try ask(channel, .PUT, version, isWhole: false)
      let interim = HTTPResponseHead(version: .http1_1, status: .continue)
      try channel.writeOutbound(HTTPServerResponsePart.head(interim))
      var parts = 0
      while try channel.readOutbound(as: HTTPServerResponsePart.self) != nil { parts += 1 }
      #expect(parts == count)
      #expect(beginning(try answer(channel))?.status == .ok, "the answer follows")
    }
  }

  @Test func chunksInHTTP10AreRefused() throws {
    let channel = try channel()
    #expect(throws: HTTPParserError.self) {
      try ask(channel, .PUT, .http1_0, ["Transfer-Encoding": "chunked"], isWhole: false)
    }
  }
}
