import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import SyncServer

@Suite struct UnreadBodiesTests {
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

  @Test func bodyThatContinuesAfterItsAnswerIsAwaitedUpToTheLimit() throws {
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

  /// So do the requests that follow it.
  @Test func requestThatEndsAfterItsAnswerKeepsItsConnection() throws {
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
}
