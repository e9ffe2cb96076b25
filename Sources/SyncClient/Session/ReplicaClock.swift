/// The time and randomness of a replica.
public struct ReplicaClock: Sendable {
  /// Seconds since some timing; never decreases.
  public let now: @Sendable () -> Double
  /// Waits; throws early when its task is cancelled.
  public let sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// A random number from 0 up to, not including, 1.
  public let random: @Sendable () -> Double

  public init(
    now: @escaping @Sendable () -> Double,
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void,
    random: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.random = random
  }

  /// The clock and randomness of the system.
  public static let system: ReplicaClock = {
    let clock = ContinuousClock()
    let start = clock.now
    return ReplicaClock {
      (clock.now - start) / .seconds(1)
    } sleep: {
      try await clock.sleep(for: .seconds($0))
    } random: {
      Double.random(in: 0..<1)
    }
  }()
}
