import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import SyncServer

@Suite struct ConnectionBoundsTests {
  private func channel(_ handler: any ChannelHandler) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(handler)
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    return channel
  }

  private func request(_ method: HTTPRequest.Method) -> HTTPRequestPart {
    .head(HTTPRequest(method: method, scheme: "http", authority: "localhost", path: "/"))
  }

  private func response(_ headers: HTTPFields = [:]) -> HTTPResponsePart {
    .head(HTTPResponse(status: .ok, headerFields: headers))
  }

  private func written(_ channel: EmbeddedChannel) throws -> [HTTPResponsePart] {
    channel.flush()
    var parts: [HTTPResponsePart] = []
    while let part = try channel.readOutbound(as: HTTPResponsePart.self) { parts.append(part) }
    return parts
  }

  @Test("a reader that takes nothing for the limit loses its connection, and no sooner")
  func stalled() throws {
    let channel = try channel(StalledReaders(limit: .seconds(60)))
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(59))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test("a reader that takes something in time keeps its connection")
  func slow() throws {
    let channel = try channel(StalledReaders(limit: .seconds(60)))
    for _ in 0..<10 {
      for isWritable in [false, true] {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
      }
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(600))
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test("a body that goes on after its answer is waited for, and not for ever")
  func unread() throws {
    let channel = try channel(UnreadBodies(limit: .seconds(5)))
    try channel.writeInbound(request(.put))
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
    try channel.writeOutbound(response())
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .seconds(4))
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test("a request that ends after its answer, and those that follow, keep their connection")
  func late() throws {
    let channel = try channel(UnreadBodies(limit: .seconds(5)))
    for isEarly in [true, false, true, false] {
      try channel.writeInbound(request(.put))
      if !isEarly { try channel.writeInbound(HTTPRequestPart.end(nil)) }
      try channel.writeOutbound(response())
      try channel.writeOutbound(HTTPResponsePart.end(nil))
      channel.embeddedEventLoop.advanceTime(by: .seconds(4))
      if isEarly { try channel.writeInbound(HTTPRequestPart.end(nil)) }
      channel.embeddedEventLoop.advanceTime(by: .seconds(60))
      #expect(channel.isActive)
    }
    _ = try channel.finish()
  }

  @Test("only an answer to HEAD that says no length ends with its headers")
  func heads() throws {
    let channel = try channel(AnswersToHead())
    // All of them are there before the first is answered.
    for method: HTTPRequest.Method in [.head, .get, .head, .get] {
      try channel.writeInbound(request(method))
      try channel.writeInbound(HTTPRequestPart.end(nil))
    }
    for (headers, count): (HTTPFields, Int) in [
      ([:], 1), ([:], 2), ([.contentLength: "7"], 2), ([.contentLength: "7"], 2),
    ] {
      try channel.writeOutbound(response(headers))
      try channel.writeOutbound(HTTPResponsePart.end(nil))
      #expect(try written(channel).count == count)
    }
    _ = try channel.finish()
  }
}
