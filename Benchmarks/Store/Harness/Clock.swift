import Foundation

/// The time of some work.
struct Cost {
  var wallSeconds: Double
  /// Of all threads of the process.
  var cpuSeconds: Double
}

enum Clock {
  static func wallSeconds() -> Double { seconds(CLOCK_MONOTONIC) }
  static func cpuSeconds() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func measure<Result>(_ body: () throws -> Result) rethrows -> (Result, Cost) {
    let (wall, cpu) = (wallSeconds(), cpuSeconds())
    let result = try body()
    return (result, cost(since: wall, cpu))
  }

  static func measureAsync<Result>(
    _ body: () async throws -> Result
  ) async rethrows -> (Result, Cost) {
    let (wall, cpu) = (wallSeconds(), cpuSeconds())
    let result = try await body()
    return (result, cost(since: wall, cpu))
  }

  private static func cost(since wall: Double, _ cpu: Double) -> Cost {
    Cost(wallSeconds: wallSeconds() - wall, cpuSeconds: cpuSeconds() - cpu)
  }
}
