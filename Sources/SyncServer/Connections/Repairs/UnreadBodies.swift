import NIOCore
import NIOHTTPTypes

/// Closes a connection if a body still comes some time after its request was answered.
///
/// A refusal does not wait for the body. The rest of the body is read and discarded, so that the
/// client can read the answer. Without a limit, a client could send for ever: Hummingbird 2.28 has
/// none. This handler can go when it has one.
final class UnreadBodies: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  private let limit: TimeAmount
  // A request may come before the previous one was answered, so both are counted.
  private var requestCount = 0
  private var answerCount = 0
  private var closing: Scheduled<Void>?

  /// - Parameter limit: how long the rest of a body may go on coming.
  init(limit: TimeAmount) { self.limit = limit }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) {
      requestCount += 1
      if requestCount >= answerCount { cancel() }
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      answerCount += 1
      if answerCount > requestCount {
        let channel = context.channel
        cancel()
        closing = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
      }
    }
    context.write(data, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancel()
    context.fireChannelInactive()
  }

  private func cancel() {
    closing?.cancel()
    closing = nil
  }
}
