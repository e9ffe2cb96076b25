import Foundation
import Logging
import NIOCore

/// Pauses a listener when the system has no room for another connection.
///
/// The connection that cannot be accepted waits, and the system announces it again at once. Without
/// a pause, the listener would use up a processor.
///
/// NIO's `AcceptBackoffHandler` (pull requests 126 and 2782 of swift-nio) delays later reads, and
/// leaves the failed one pending. This one can go when that also holds the pending one back.
package final class AcceptPause: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = any Channel
  package typealias OutboundIn = Never

  package static let pause = TimeAmount.milliseconds(200)

  private let logger: Logger
  private var isPaused = false
  private var failureCount = 0

  package init(logger: Logger) { self.logger = logger }

  package func read(context: ChannelHandlerContext) {
    if !isPaused { context.read() }
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError, Self.isShortage(error.errnoCode) else {
      return context.fireErrorCaught(error)
    }
    failureCount += 1
    if isPaused { return }
    isPaused = true
    logger.warning(
      "no room for another connection",
      metadata: ["errno": "\(error.errnoCode)", "failures": "\(failureCount)"])
    // The failed read is still pending; without automatic reading the channel drops it.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    let loopBound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.pause) {
      let (handler, context) = loopBound.value
      handler.isPaused = false
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
      context.read()
    }
  }

  private static func isShortage(_ code: CInt) -> Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
  }
}
