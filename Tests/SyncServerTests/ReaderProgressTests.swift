import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import SyncServer

@Suite struct ReaderProgressTests {
  /// A channel whose reader has accepted all but some of the written bytes.
  private final class Reader: Sendable {
    private let pending = Atomic<Int>(0)
    var pendingByteCount: Int { pending.load(ordering: .relaxed) }
    func leave(_ count: Int) { pending.store(count, ordering: .relaxed) }
  }

  /// - Parameter pending: how many of a million bytes the reader leaves at first.
  private func channel(_ reader: Reader, pending: Int) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    let handler = ReaderProgress(limit: .seconds(60)) { _ in reader.pendingByteCount }
    try channel.pipeline.syncOperations.addHandler(handler)
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    try channel.writeOutbound(IOData.byteBuffer(ByteBuffer(repeating: 1, count: 1_000_000)))
    reader.leave(pending)
    return channel
  }

  @Test func readerWithoutProgressIsDisconnectedExactlyAtTheTimeLimit() throws {
    let channel = try channel(Reader(), pending: 1_000_000)
    channel.embeddedEventLoop.advanceTime(by: .seconds(59))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func readerThatMakesProgressInTimeStaysConnected() throws {
    let reader = Reader()
    let channel = try channel(reader, pending: 900_000)
    for step in 1...20 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(59))
      #expect(channel.isActive)
      reader.leave(900_000 - step)
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(75))
    #expect(!channel.isActive, "it took nothing any more")
  }

  @Test func readerThatReceivedEverythingHasNoTimeLimit() throws {
    let reader = Reader()
    let channel = try channel(reader, pending: 900_000)
    channel.embeddedEventLoop.advanceTime(by: .seconds(59))
    reader.leave(0)
    channel.embeddedEventLoop.advanceTime(by: .seconds(600))
    #expect(channel.isActive)
    try channel.writeOutbound(IOData.byteBuffer(ByteBuffer(repeating: 1, count: 10)))
    reader.leave(10)
    channel.embeddedEventLoop.advanceTime(by: .seconds(59))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive, "it takes nothing of what came later")
  }

  /// The system's own buffer holds megabytes: the channel has room again long after the reader
  /// began to read.
  @Test func progressCountsBeforeTheChannelIsWritableAgain() async throws {
    let (channels, found) = AsyncStream<any Channel>.makeStream()
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        found.yield(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
      }.bind(host: "127.0.0.1", port: 0).get()
    defer { listener.close(promise: nil) }
    let wire = try Wire(port: try #require(listener.localAddress?.port))
    let channel = try #require(await channels.first { _ in true })
    @Sendable func pendingByteCount() async throws -> Int {
      try await channel.eventLoop.submit { ReaderProgress.pendingByteCount(of: channel) }.get()
    }
    channel.writeAndFlush(ByteBuffer(repeating: 1, count: 32 << 20), promise: nil)
    var before = Int.max
    while case let now = try await pendingByteCount(), now != before {
      before = now
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(before > 16 << 20)
    for _ in 0..<4 { _ = try await onThread { try wire.read() } }
    let filled = before
    try await eventually("the reader's progress is seen") {
      try await pendingByteCount() < filled
    }
    #expect(!channel.isWritable)
  }
}
