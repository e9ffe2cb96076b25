#if os(Linux) || os(macOS)
  import Foundation

  /// Starts of other processes, one at a time.
  ///
  /// Foundation looks which files are open, so that the new process closes them, and then starts
  /// it. A file that another thread opens in between stays open in the new process. If it is the
  /// end of a pipe, or the socket by which Foundation sees the end of another process, then its
  /// reader waits until the new process has ended too
  /// (https://github.com/swiftlang/swift-corelibs-foundation/issues/4795).
  package enum ProcessStart {
    private static let lock = NSLock()

    /// Runs a body that opens files. No process is started meanwhile, so none inherits the files.
    package static func alone<Value>(_ body: () throws -> Value) rethrows -> Value {
      try lock.withLock(body)
    }
  }

  extension Process {
    /// Starts the process while no other is started. Use it instead of `run()`.
    package func start() throws { try ProcessStart.alone(run) }
  }
#endif
