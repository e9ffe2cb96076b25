import Foundation
import NIOCore

/// Closes a connection whose reader accepts no bytes for some time.
///
/// An answer waits for its reader. Without a limit, a client that never reads would hold a
/// connection and the bytes of an answer forever. A reader makes progress when its system accepts
/// bytes. The channel has room again much later, because the system's own buffer holds megabytes.
final class ReaderProgress: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = IOData

  /// How often the progress is measured within the limit.
  private static let measurementsPerLimit = 4

  private let limit: TimeAmount
  private let pendingByteCount: (any Channel) -> Int
  private var writtenByteCount = 0
  private var acceptedByteCount = 0
  private var idleCount = 0
  private var nextMeasurement: Scheduled<Void>?

  /// - Parameters:
  ///   - limit: how long a reader may accept nothing.
  ///   - pendingByteCount: how many written bytes the reader has not accepted.
  init(
    limit: TimeAmount,
    pendingByteCount: @escaping (any Channel) -> Int = ReaderProgress.pendingByteCount
  ) {
    self.limit = limit
    self.pendingByteCount = pendingByteCount
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if nextMeasurement == nil {
      acceptedByteCount = writtenByteCount - pendingByteCount(context.channel)
      idleCount = 0
      measureLater(context)
    }
    writtenByteCount += unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    nextMeasurement?.cancel()
    nextMeasurement = nil
    context.fireChannelInactive()
  }

  private func measureLater(_ context: ChannelHandlerContext) {
    let time = TimeAmount.nanoseconds(limit.nanoseconds / Int64(Self.measurementsPerLimit))
    let loopBound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    nextMeasurement = context.eventLoop.scheduleTask(in: time) {
      let (handler, context) = loopBound.value
      handler.measure(context)
    }
  }

  /// Measures again later if bytes still wait for the reader.
  private func measure(_ context: ChannelHandlerContext) {
    nextMeasurement = nil
    let pendingByteCount = pendingByteCount(context.channel)
    if pendingByteCount == 0 { return }
    let accepted = writtenByteCount - pendingByteCount
    idleCount = accepted > acceptedByteCount ? 0 : idleCount + 1
    acceptedByteCount = accepted
    if idleCount >= Self.measurementsPerLimit {
      // From here, because the handlers above would wait for the reader.
      context.close(promise: nil)
    } else {
      measureLater(context)
    }
  }

  /// The bytes that wait in the channel and in the system, which keeps them until the other end has
  /// confirmed them.
  static func pendingByteCount(of channel: any Channel) -> Int {
    let inChannel = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    let inSystem = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { handle in
      var count: CInt = 0
      return ioctl(handle, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }
    return inChannel + (inSystem ?? 0)
  }
}
