import Foundation
import Logging
import NIOCore

/// Pauses a listener when the system has no room for another connection.
///
/// The connection that cannot be accepted waits, and the system announces it again at once. Without
/// a pause, the listener would use up a processor.
final class AcceptPause: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = any Channel
  typealias OutboundIn = Never

  static let pause = TimeAmount.milliseconds(200)

  private let logger: Logger
  private var isPaused = false
  private var failureCount = 0

  init(logger: Logger) { self.logger = logger }

  func read(context: ChannelHandlerContext) {
    if !isPaused { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
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
