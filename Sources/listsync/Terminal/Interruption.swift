import Foundation

/// Runs a closure at the first interruption (SIGINT). A second one ends the process.
struct Interruption {
  /// 128 plus the signal's number, as shells report it.
  static let exitCode = 128 + SIGINT

  private let source: any DispatchSourceSignal

  init(_ body: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      signal(SIGINT, SIG_DFL)
      body()
    }
    source.resume()
  }

  /// Restores the system's handling of interruptions.
  func cancel() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}
