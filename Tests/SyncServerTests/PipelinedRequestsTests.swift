import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import SyncServer

@Suite struct PipelinedRequestsTests {
  /// The requests, ends and failures that pass the handler.
  private final class Passed: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    var texts: [String] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): texts.append(head.uri)
      case .body(let body): texts.append(String(buffer: body))
      case .end: texts.append(".")
      }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      texts.append("closed")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { texts.append("failed") }
  }

  private let channel = EmbeddedChannel()
  private let passed = Passed()

  init() throws {
    try channel.pipeline.syncOperations.addHandlers([PipelinedRequests(), passed])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
  }

  private func ask(_ uri: String, _ headers: HTTPHeaders = [:], body: String = "") throws {
    let head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: uri, headers: headers)
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    if !body.isEmpty {
      try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body)))
    }
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
  }

  private func answer(_ headers: HTTPHeaders = [:]) throws {
    let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
    try channel.writeOutbound(HTTPServerResponsePart.head(head))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    channel.embeddedEventLoop.run()
  }

  @Test func requestWaitsForTheAnswerToTheOneBeforeIt() throws {
    try ask("/1")
    try ask("/2", body: "two")
    try ask("/3")
    #expect(passed.texts == ["/1", "."])
    try answer()
    #expect(passed.texts == ["/1", ".", "/2", "two", "."])
    try answer()
    #expect(passed.texts == ["/1", ".", "/2", "two", ".", "/3", "."])
  }

  @Test(arguments: ["close", "Close", "keep-alive, close"])
  func nothingFollowsAnAnswerThatEndsTheConnection(_ value: String) throws {
    try ask("/1")
    try ask("/2", body: "two")
    try answer(["Connection": value])
    try ask("/3")
    #expect(passed.texts == ["/1", "."])
  }

  @Test func nothingFollowsARequestThatEndsTheConnection() throws {
    try ask("/1", ["Connection": "close"])
    try ask("/2")
    try answer()
    #expect(passed.texts == ["/1", "."])
  }

  /// An early answer: the rest of the refused body is read, so that the client can read the answer.
  @Test func restOfARefusedBodyIsPassed() throws {
    let head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/1")
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    try answer(["Connection": "close"])
    try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "rest")))
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
    try ask("/2")
    #expect(passed.texts == ["/1", "rest", "."])
  }

  @Test func endAndFailureOfTheInputKeepTheirPlace() throws {
    try ask("/1")
    try ask("/2")
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
    #expect(passed.texts == ["/1", "."])
    try answer()
    #expect(passed.texts == ["/1", ".", "/2", ".", "closed", "failed"])
  }

  /// The server closes the connection when the answer is written, as at its end.
  @Test func requestBehindTheLastAnswerBeforeACloseIsNotCarriedOut() throws {
    try ask("/1")
    try ask("/2")
    try channel.writeOutbound(
      HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    channel.close(promise: nil)
    channel.embeddedEventLoop.run()
    #expect(passed.texts == ["/1", "."])
  }
}
