import Foundation

/// A rest after the turns of some watchers, which leaves half of the processors to others.
enum ProcessorRest {
  /// Waits until this process has used at most half of the processors since the call, whatever a
  /// turn costs: for 5 ms at least and 50 ms at most.
  static func take() async {
    let (clock, processorCount) = (ContinuousClock(), ProcessInfo.processInfo.activeProcessorCount)
    let (start, usedBefore) = (clock.now, used)
    var elapsed: Duration
    repeat {
      try? await Task.sleep(for: .milliseconds(5))
      elapsed = clock.now - start
    } while elapsed < .milliseconds(50) && (used - usedBefore) * 2 > elapsed * processorCount
  }

  /// The time for which processors have worked for this process.
  private static var used: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
