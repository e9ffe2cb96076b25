import NIOCore
import NIOHTTP1

/// Notices that the client of a long answer has gone.
///
/// A program that has ended, and one that only closed the sending side of its connection and still
/// waits for the answer, look the same. So the server asks with an interim answer, 100 Continue,
/// which every client of HTTP/1.1 ignores. The system of a program that has ended refuses it with a
/// reset. HTTP/1.0 has no interim answers, and its clients count as gone. An answer of which
/// a part was sent asks with its next part.
///
/// - Source: RFC 9110, 15.2; RFC 9112, 9.5.
final class ClientWatch: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// How long an answer may take before the client is asked: most are there by then.
  static let patience = TimeAmount.milliseconds(500)

  /// Whether the client of the present request knows interim answers; false between requests.
  private var knowsInterimAnswers = false
  private var hasClosedInput = false
  /// Whether a part of the answer to the present request was written.
  private var hasBegunAnswer = false
  /// Called when the client has gone; nil while no long answer is made.
  private var onDeparture: (@Sendable () -> Void)?
  private var probe: Scheduled<Void>?
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  // MARK: The maker of an answer

  /// Calls a closure, once, if the client of the current request goes before ``end(on:)``.
  static func begin(on channel: any Channel, onDeparture: @escaping @Sendable () -> Void) {
    channel.eventLoop.execute {
      guard channel.isActive else { return onDeparture() }
      let watch = try? channel.pipeline.syncOperations.handler(type: ClientWatch.self)
      watch?.onDeparture = onDeparture
      watch?.askLater()
    }
  }

  static func end(on channel: any Channel) {
    channel.eventLoop.execute {
      let watch = try? channel.pipeline.syncOperations.handler(type: ClientWatch.self)
      watch?.onDeparture = nil
      watch?.probe?.cancel()
      watch?.probe = nil
    }
  }

  // MARK: The connection

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) {
      knowsInterimAnswers = head.version.minor >= 1
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head): hasBegunAnswer = head.status != .continue
    case .body: break
    case .end:
      (knowsInterimAnswers, hasBegunAnswer) = (false, false)
    }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is HTTPExchange.InputClosed {
      hasClosedInput = true
      askLater()
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    depart()
    context.fireChannelInactive()
  }

  private func askLater() {
    guard hasClosedInput, onDeparture != nil, probe == nil, let context else { return }
    let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
    probe = context.eventLoop.scheduleTask(in: Self.patience) { loopBound.value.ask() }
  }

  private func ask() {
    guard onDeparture != nil, let context else { return }
    guard knowsInterimAnswers else { return depart() }
    // Nothing may come between the parts of an answer. The next part asks.
    if hasBegunAnswer { return }
    let head = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  private func depart() {
    probe?.cancel()
    let leave = onDeparture
    onDeparture = nil
    leave?()
  }
}
