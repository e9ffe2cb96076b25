/// Time and chance, as a replica needs them.
public struct ReplicaClock: Sendable {
  /// Seconds since some moment; never goes back.
  public let now: @Sendable () -> Double
  /// Waits; ends early, with an error, when its task is cancelled.
  public let sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// By chance from 0 up to, not including, 1.
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

  /// The system's.
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
