import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import listsyncd

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct AcceptPauseTests {
  /// Counts the requests to a channel for the next connection.
  private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Never
    var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  private func channel(_ counter: ReadCounter) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([
      counter,
      AcceptPause(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
    ])
    return channel
  }

  @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
  func listenerAcceptsNoConnectionDuringThePauseAfterResourceErrors(_ code: CInt) throws {
    let counter = ReadCounter()
    let channel = try channel(counter)
    channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
    try channel.throwIfErrorCaught()
    let before = counter.count
    for _ in 0..<3 { channel.read() }
    #expect(counter.count == before)
    channel.embeddedEventLoop.advanceTime(by: AcceptPause.pause)
    #expect(counter.count == before + 1)
    channel.read()
    #expect(counter.count == before + 2)
  }

  @Test func otherErrorsPassToTheNextHandler() throws {
    let counter = ReadCounter()
    let channel = try channel(counter)
    channel.pipeline.fireErrorCaught(IOError(errnoCode: EBADF, reason: "accept"))
    #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
    let before = counter.count
    channel.read()
    #expect(counter.count == before + 1)
  }
}
