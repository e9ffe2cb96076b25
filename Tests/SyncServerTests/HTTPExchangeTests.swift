import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import SyncServer

/// Requests and answers of one connection, without a network.
private struct Exchange {
  /// The requests, ends and failures that pass the handler.
  final class Passed: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    var texts: [String] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): texts.append(([head.uri] + head.headers["connection"]).joined())
      case .body(let body): texts.append(String(buffer: body))
      case .end: texts.append(".")
      }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      texts.append(event is HTTPExchange.InputClosed ? "closing" : "closed")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { texts.append("failed") }
  }

  /// Closes the output alone, as a socket does; an `EmbeddedChannel` would close as a whole.
  private final class HalfClosing: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
  }

  let channel = EmbeddedChannel()
  let passed = Passed()

  init() throws {
    let handler = HTTPExchange(unreadBodyTime: .seconds(5))
    try channel.pipeline.syncOperations.addHandlers([HalfClosing(), handler, passed])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
  }

  func ask(
    _ uri: String = "/", _ method: HTTPMethod = .GET, _ version: HTTPVersion = .http1_1,
    _ headers: HTTPHeaders = [:], body: String = "", isWhole: Bool = true
  ) throws {
    let head = HTTPRequestHead(version: version, method: method, uri: uri, headers: headers)
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    if !body.isEmpty {
      try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body)))
    }
    if isWhole { try endRequest() }
  }

  func endRequest() throws { try channel.writeInbound(HTTPServerRequestPart.end(nil)) }

  /// Writes an answer, and returns the parts on the wire.
  @discardableResult
  func answer(
    _ status: HTTPResponseStatus = .ok, _ headers: HTTPHeaders = [:]
  ) throws -> [HTTPServerResponsePart] {
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    // Writing after the end of a connection fails, as on a socket.
    _ = try? channel.writeOutbound(HTTPServerResponsePart.head(head))
    _ = try? channel.writeOutbound(HTTPServerResponsePart.end(nil))
    channel.embeddedEventLoop.run()
    return try written()
  }

  func written() throws -> [HTTPServerResponsePart] {
    var parts: [HTTPServerResponsePart] = []
    while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
      parts.append(part)
    }
    return parts
  }

  func beginning(_ parts: [HTTPServerResponsePart]) throws -> HTTPResponseHead {
    guard case .head(let head)? = parts.first else {
      throw ChannelError.inappropriateOperationForState
    }
    return head
  }
}

@Suite struct HTTPExchangeOrderTests {
  private let exchange: Exchange
  private var passed: [String] { exchange.passed.texts }

  init() throws { exchange = try Exchange() }

  @Test func requestWaitsForTheAnswerToTheOneBeforeIt() throws {
    try exchange.ask("/1")
    try exchange.ask("/2", .PUT, body: "two")
    try exchange.ask("/3")
    #expect(passed == ["/1", "."])
    try exchange.answer()
    #expect(passed == ["/1", ".", "/2", "two", "."])
    try exchange.answer()
    #expect(passed == ["/1", ".", "/2", "two", ".", "/3", "."])
  }

  @Test(arguments: ["close", "Close", "keep-alive, close"])
  func nothingFollowsAnAnswerThatEndsTheConnection(_ value: String) throws {
    try exchange.ask("/1")
    try exchange.ask("/2", .PUT, body: "two")
    try exchange.answer(.ok, ["Connection": value])
    try exchange.ask("/3")
    #expect(passed == ["/1", "."])
  }

  @Test(arguments: ["close", "Close", "keep-alive, CLOSE", " close "])
  func requestThatEndsTheConnectionGetsTheLastAnswer(_ value: String) throws {
    try exchange.ask("/1", .GET, .http1_1, ["Connection": value])
    try exchange.ask("/2")
    #expect(try exchange.beginning(exchange.answer()).headers["connection"] == ["close"])
    #expect(passed == ["/1close", "."])
  }

  /// An early answer: the rest of the refused body is read, so that the client can read the answer.
  @Test func restOfARefusedBodyIsPassedAndTheNextRequestIsNot() throws {
    try exchange.ask("/1", .PUT, isWhole: false)
    #expect(try exchange.answer(.payloadTooLarge, ["Connection": "close"]).count == 2)
    try exchange.channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "rest")))
    try exchange.endRequest()
    try exchange.ask("/2", .PUT)
    #expect(passed == ["/1", "rest", "."])
  }

  @Test func endAndFailureOfTheInputKeepTheirPlaceAndTheEndIsAnnouncedAtOnce() throws {
    try exchange.ask("/1")
    try exchange.ask("/2")
    exchange.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    exchange.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
    #expect(passed == ["/1", ".", "closing"])
    try exchange.answer()
    #expect(passed == ["/1", ".", "closing", "/2", ".", "closed", "failed"])
  }

  /// The server closes the connection when the answer is written, as at its end.
  @Test func requestBehindTheLastAnswerBeforeACloseIsNotCarriedOut() throws {
    try exchange.ask("/1")
    try exchange.ask("/2")
    let head = HTTPResponseHead(version: .http1_1, status: .ok)
    try exchange.channel.writeOutbound(HTTPServerResponsePart.head(head))
    try exchange.channel.writeOutbound(HTTPServerResponsePart.end(nil))
    exchange.channel.close(promise: nil)
    exchange.channel.embeddedEventLoop.run()
    #expect(passed == ["/1", "."])
  }

  @Test func bodyThatContinuesAfterItsAnswerIsAwaitedUpToTheLimit() throws {
    try exchange.ask("/1", .PUT, body: "x", isWhole: false)
    try exchange.answer()
    exchange.channel.embeddedEventLoop.advanceTime(by: .seconds(4))
    try exchange.channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "x")))
    #expect(exchange.channel.isActive)
    exchange.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!exchange.channel.isActive)
  }

  /// So do the requests that follow it.
  @Test func requestThatEndsAfterItsAnswerKeepsItsConnection() throws {
    for isEarly in [true, false, true, false] {
      try exchange.ask("/1", .PUT, isWhole: !isEarly)
      try exchange.answer()
      exchange.channel.embeddedEventLoop.advanceTime(by: .seconds(4))
      if isEarly { try exchange.endRequest() }
      exchange.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
      #expect(exchange.channel.isActive)
    }
  }
}

@Suite struct HTTPExchangeFramingTests {
  private let exchange: Exchange

  init() throws { exchange = try Exchange() }

  @Test func onlyAnAnswerToHeadWithoutALengthEndsWithItsHeaders() throws {
    // All requests arrive before the first is answered.
    for method: HTTPMethod in [.HEAD, .GET, .HEAD, .GET] { try exchange.ask("/", method) }
    for (headers, hasEnd): (HTTPHeaders, Bool) in [
      ([:], false), ([:], true), (["Content-Length": "7"], true), (["Content-Length": "7"], true),
    ] {
      let end = try exchange.answer(.ok, headers).last
      if case .end = end { #expect(hasEnd) } else { #expect(!hasEnd) }
    }
  }

  @Test func answerToHTTP10HasNoChunksAndEndsItsConnection() throws {
    try exchange.ask("/", .GET, .http1_0, ["Connection": "keep-alive"])
    let head = try exchange.beginning(exchange.answer())
    #expect(head.version == .http1_0)
    #expect(head.headers["connection"] == ["close"])
    #expect(exchange.passed.texts == ["/close", "."])
  }

  @Test func keepAliveConnectionsStayOpen() throws {
    for _ in 0..<3 {
      try exchange.ask("/", .GET, .http1_1, ["Connection": "keep-alive"])
      let head = try exchange.beginning(exchange.answer())
      #expect(head.version == .http1_1 && head.headers["connection"].isEmpty)
    }
  }

  @Test func invalidRequestGetsOneProblemAsItsAnswer() throws {
    let parts = try exchange.answer(.badRequest, ["Content-Length": "0"])
    let head = try exchange.beginning(parts)
    #expect(head.status == .badRequest)
    #expect(head.headers["content-type"] == ["application/problem+json"])
    guard parts.count == 3, case .body(.byteBuffer(let body)) = parts[1] else {
      Issue.record("there is no body")
      return
    }
    #expect(head.headers["content-length"] == ["\(body.readableBytes)"])
    #expect(String(buffer: body).contains("urn:listsync:problem:invalid-request"))
    exchange.channel.embeddedEventLoop.advanceTime(by: .seconds(5))
    #expect(!exchange.channel.isActive)
  }

  @Test func requestThatBreaksAfterItsAnswerGetsNoSecondAnswer() throws {
    try exchange.ask("/", .PUT, isWhole: false)
    #expect(try exchange.answer(.notFound).count == 2)
    #expect(try exchange.answer(.badRequest, ["Content-Length": "0"]).isEmpty)
  }

  @Test(arguments: [(HTTPVersion.http1_0, 0), (.http1_1, 1)])
  func onlyHTTP11ClientsReceiveAContinueStatus(_ version: HTTPVersion, _ count: Int) throws {
    try exchange.ask("/", .PUT, version, isWhole: false)
    let interim = HTTPResponseHead(version: .http1_1, status: .continue)
    try exchange.channel.writeOutbound(HTTPServerResponsePart.head(interim))
    #expect(try exchange.written().count == count)
    #expect(try exchange.beginning(exchange.answer()).status == .ok, "the answer follows")
  }

  @Test func chunksInHTTP10AreRefused() throws {
    let headers: HTTPHeaders = ["Transfer-Encoding": "chunked"]
    try exchange.ask("/1", .PUT, .http1_0, headers, body: "x")
    try exchange.ask("/2")
    #expect(exchange.passed.texts == ["failed"])
    #expect(try exchange.beginning(exchange.answer(.badRequest)).status == .badRequest)
  }
}
