import NIOCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Closes a connection whose other end takes nothing of what is written to it.
///
/// An answer waits for its reader; without an end to that, whoever asks and never reads would hold
/// a connection and the bytes of an answer for good. A reader makes progress when its system
/// accepts bytes: that the channel has room again is seen much later, since the system's own buffer
/// holds megabytes.
final class ReaderProgress: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// How often a reader is looked at within the limit.
  private static let looksPerLimit = 4

  private let limit: TimeAmount
  private let pendingByteCount: (any Channel) -> Int
  private var writtenByteCount = 0
  private var acceptedByteCount = 0
  private var idleLookCount = 0
  private var nextLook: Scheduled<Void>?

  /// - Parameters:
  ///   - limit: how long a reader may accept nothing.
  ///   - pendingByteCount: how many of the bytes that were written the reader has not accepted.
  init(
    limit: TimeAmount,
    pendingByteCount: @escaping (any Channel) -> Int = ReaderProgress.pendingByteCount
  ) {
    self.limit = limit
    self.pendingByteCount = pendingByteCount
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if nextLook == nil {
      acceptedByteCount = writtenByteCount - pendingByteCount(context.channel)
      idleLookCount = 0
      lookLater(context)
    }
    writtenByteCount += unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    nextLook?.cancel()
    nextLook = nil
    context.fireChannelInactive()
  }

  private func lookLater(_ context: ChannelHandlerContext) {
    let time = TimeAmount.nanoseconds(limit.nanoseconds / Int64(Self.looksPerLimit))
    let loopBound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    nextLook = context.eventLoop.scheduleTask(in: time) {
      let (handler, context) = loopBound.value
      handler.look(context)
    }
  }

  /// Looks again for as long as something waits for the reader.
  private func look(_ context: ChannelHandlerContext) {
    nextLook = nil
    let pendingByteCount = pendingByteCount(context.channel)
    if pendingByteCount == 0 { return }
    let accepted = writtenByteCount - pendingByteCount
    idleLookCount = accepted > acceptedByteCount ? 0 : idleLookCount + 1
    acceptedByteCount = accepted
    if idleLookCount >= Self.looksPerLimit {
      // Not by way of those above, who would wait for the reader.
      context.close(promise: nil)
    } else {
      lookLater(context)
    }
  }

  /// The bytes that wait in the channel and in the system; the latter keeps them until the other
  /// end has confirmed them.
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
