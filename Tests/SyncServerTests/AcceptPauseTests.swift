import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import SyncServer

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

  /// Keeps the metadata of each line.
  private final class KeptLines: LogHandler, @unchecked Sendable {
    let failures = Mutex<[String]>([])
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      failures.withLock { $0.append("\(event.metadata?["failures"] ?? "")") }
    }
  }

  private func channel(
    _ counter: ReadCounter, log: any LogHandler = SwiftLogNoOpLogHandler()
  ) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([
      counter, AcceptPause(logger: Logger(label: "test") { _ in log }),
    ])
    return channel
  }

  private func isReading(_ channel: EmbeddedChannel) -> Bool? {
    channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
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

  /// A listener that fails again in its pause doesn't lengthen it, and doesn't fill the log.
  @Test func eachPauseIsOneLineOfTheLogAndStopsTheReadingByItself() throws {
    let log = KeptLines()
    let channel = try channel(ReadCounter(), log: log)
    for pause in 1...3 {
      for _ in 0..<4 {
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        #expect(isReading(channel) == false)
      }
      channel.embeddedEventLoop.advanceTime(by: AcceptPause.pause)
      #expect(isReading(channel) == true)
      #expect(log.failures.withLock { $0 } == (1...pause).map { "\($0 * 4 - 3)" })
    }
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
