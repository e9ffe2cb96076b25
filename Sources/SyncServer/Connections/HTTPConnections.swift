import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The pipeline of a connection: bytes below, requests above.
///
///     ReaderProgress ─ (TLS) ─ HTTP/1 coding ─ MessageFraming ─ HTTP types ─ UnreadBodies
///       ─ idle time ─ requests
struct HTTPConnections: HTTPChannelHandler {
  typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  let responder: Responder
  let bounds: ConnectionBounds

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = bounds.headerByteLimit
      limits.maxHeaderListSize = 2 * bounds.headerByteLimit
      limits.maxHeaderFieldCount = bounds.headerCountLimit
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false,
        withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
        withDecoderLimitConfiguration: limits)
      try pipeline.addHandlers([
        MessageFraming(), HTTP1ToHTTPServerCodec(secure: false),
        UnreadBodies(limit: bounds.unreadBodyTime),
        HTTPConnectionStateHandler(idleTimeout: Duration(bounds.idleTime), logger: logger),
      ])
      // It counts what goes over the wire: before TLS, where there is TLS.
      try pipeline.addHandler(ReaderProgress(limit: bounds.readerTime), position: .first)
      return try NIOAsyncChannel(
        wrappingChannelSynchronously: channel,
        configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  func handle(value: Value, logger: Logger) async {
    await handleHTTP(asyncChannel: value, logger: logger)
  }
}
