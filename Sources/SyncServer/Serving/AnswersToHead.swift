import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Lets an answer to HEAD that says no length end with its headers.
///
/// The encoder below ends what has no length with an empty chunk, which a client would take for the
/// beginning of the next answer (RFC 9110, 9.3.2): so it does not hear of the end.
final class AnswersToHead: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Of each request that is not answered yet, whether it has the method HEAD.
  private var requests: [Bool] = []
  private var hasLength = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { requests.append(head.method == .head) }
    context.fireChannelRead(data)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch unwrapOutboundIn(data) {
    case .head(let head): hasLength = head.headerFields[.contentLength] != nil
    case .body: break
    case .end:
      let isHead = requests.isEmpty ? false : requests.removeFirst()
      if isHead, !hasLength {
        promise?.succeed()
        return
      }
    }
    context.write(data, promise: promise)
  }
}
