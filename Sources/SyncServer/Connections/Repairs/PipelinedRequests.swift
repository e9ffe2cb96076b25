import NIOCore
import NIOHTTP1

/// Passes one request at a time, so that a request is not carried out before the answer to the one
/// before it is written; drops all requests after an answer that ends the connection.
///
/// The layer above begins the next request when it has written an answer, whatever the answer says.
/// So it must not have the next request yet: after a refusal, the server and a proxy may disagree
/// where the refused request ends, and what follows may be the bytes of somebody else.
///
/// NIO's `HTTPServerPipelineHandler` holds back requests, too, but does not drop those behind the
/// last answer; this handler can go when it does, and when Hummingbird uses it.
///
/// - Source: RFC 9112, 9.3.2, 9.6 and 11.2.
final class PipelinedRequests: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Something that came after the request that is being answered.
  private enum Later {
    case part(HTTPServerRequestPart)
    case inputClosed
    case failure(any Error)
  }

  /// Whether a request was passed, and the end of its answer was not written yet.
  private var isAnswering = false
  /// Whether the current answer is the last of the connection.
  private var endsConnection = false
  /// Whether the last answer of the connection was written.
  private var hasEnded = false
  private var isDropping = false
  /// In the order of their arrival. Nothing is read while there are any, so these are the parts of
  /// one reading.
  private var later: CircularBuffer<Later> = []
  private var isReadHeld = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    receive(.part(unwrapInboundIn(data)), context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      receive(.inputClosed, context)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    receive(.failure(error), context)
  }

  func read(context: ChannelHandlerContext) {
    if later.isEmpty { context.read() } else { isReadHeld = true }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.headers.endsConnection: endsConnection = true
    case .head, .body: break
    case .end:
      isAnswering = false
      hasEnded = hasEnded || endsConnection
      // Later, when the layers above have finished this answer: it may be the last one, too.
      if !later.isEmpty { passLater(context) }
    }
    context.write(data, promise: promise)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode != .input { hasEnded = true }
    context.close(mode: mode, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    hasEnded = true
    later = []
    context.fireChannelInactive()
  }

  private func receive(_ next: Later, _ context: ChannelHandlerContext) {
    if later.isEmpty, !mustWait(next) { pass(next, context) } else { later.append(next) }
  }

  /// Whether something belongs to the next request, and the current one is not answered.
  private func mustWait(_ next: Later) -> Bool {
    if case .part(.head) = next { isAnswering } else { false }
  }

  private func passLater(_ context: ChannelHandlerContext) {
    let loopBound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = loopBound.value
      while let next = handler.later.first, !handler.mustWait(next) {
        handler.later.removeFirst()
        handler.pass(next, context)
      }
      context.fireChannelReadComplete()
      if handler.later.isEmpty, handler.isReadHeld {
        handler.isReadHeld = false
        context.read()
      }
    }
  }

  private func pass(_ next: Later, _ context: ChannelHandlerContext) {
    switch next {
    case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    case .failure(let error): context.fireErrorCaught(error)
    case .part(let part):
      if case .head(let head) = part {
        isDropping = hasEnded
        isAnswering = !hasEnded
        endsConnection = head.headers.endsConnection
      }
      if !isDropping { context.fireChannelRead(wrapInboundOut(part)) }
    }
  }
}
