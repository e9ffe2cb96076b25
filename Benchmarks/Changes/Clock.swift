import Foundation

/// CPU time of this thread: what others do on a shared machine does not count.
enum ThreadClock {
  static func nanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// The median time of several runs; each result is handed to `consume`, so that nothing is
  /// optimised away.
  static func median<Result>(
    runs: Int, _ body: () throws -> Result, consume: (Result) -> Void
  ) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<runs {
      let start = nanoseconds()
      let result = try body()
      times.append(nanoseconds() - start)
      consume(result)
    }
    return times.sorted()[runs / 2]
  }
}
