import NIOCore

/// Closes a connection whose other end takes nothing of what is written to it.
///
/// An answer waits for its reader; without an end to that, whoever asks and never reads would hold a
/// connection and the bytes of an answer for good.
final class StalledReaders: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let limit: TimeAmount
  private var closing: Scheduled<Void>?

  /// - Parameter limit: how long written bytes may wait without room for more.
  init(limit: TimeAmount) { self.limit = limit }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    closing?.cancel()
    closing = nil
    if !context.channel.isWritable {
      let channel = context.channel
      closing = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    closing?.cancel()
    closing = nil
    context.fireChannelInactive()
  }
}
