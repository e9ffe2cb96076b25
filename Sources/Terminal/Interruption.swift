import Dispatch
import Foundation

/// Does something at the first interruption (SIGINT) in place of ending the process; a second one
/// ends it.
package struct Interruption {
  /// 128 and the signal's number, as shells have it.
  package static let exitCode = 128 + SIGINT

  private let source: any DispatchSourceSignal

  package init(_ body: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      signal(SIGINT, SIG_DFL)
      body()
    }
    source.resume()
  }

  /// Leaves interruptions to the system again.
  package func forget() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}
