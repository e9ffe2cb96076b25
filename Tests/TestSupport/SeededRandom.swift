import Foundation

/// A small repeatable generator (SplitMix64; Steele, Lea and Flood, 2014). The seed is part of
/// every failure message, and `LISTSYNC_SEED` sets it again.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  public let seed: UInt64
  private var state: UInt64

  public init(seed: UInt64) {
    self.seed = seed
    self.state = seed
  }

  /// A generator for one test run: from `LISTSYNC_SEED` where that is set, else from a new seed,
  /// the same for every test of this process.
  public static func forThisRun() -> SeededRandom { SeededRandom(seed: seedOfThisRun) }

  private static let seedOfThisRun: UInt64 = {
    if let given = ProcessInfo.processInfo.environment["LISTSYNC_SEED"].flatMap({ UInt64($0) }) {
      return given
    }
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("seed \(seed) (LISTSYNC_SEED=\(seed) repeats this run)")
    return seed
  }()

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
