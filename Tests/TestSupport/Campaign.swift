import Foundation

/// A search for faults that can be as long as one likes: a share of it runs in `make test`, all of
/// it in `make torture`, which sets `LISTSYNC_TORTURE`.
///
/// `Tests/README.md` lists the campaigns and what their long forms found.
public struct Campaign: Sendable {
  public let name: String
  public let seed: UInt64

  /// Whether the long form runs.
  public static let isLong = ProcessInfo.processInfo.environment["LISTSYNC_TORTURE"] != nil

  /// - Parameter name: as in `Tests/README.md`.
  public init(_ name: String) {
    self.name = name
    seed = SeededRandom.forThisRun().seed
  }

  /// How often to do what the campaign does.
  public func rounds(_ share: Int, long: Int) -> Int { Self.isLong ? long : share }

  /// A generator for one part of the campaign: the same in every run with the same seed, whatever
  /// the other parts do.
  public func random(_ part: Int = 0) -> SeededRandom {
    // Seeds that are apart by a multiple of the generator's own step, as numbers of parts could make
    // them, would give every part the numbers of the one before, less the first.
    var parts = SeededRandom(seed: UInt64(truncatingIfNeeded: part))
    return SeededRandom(seed: seed ^ parts.next())
  }

  /// Says what was done and found, in one line: on the standard output, and in the file that
  /// `LISTSYNC_TORTURE_REPORT` names.
  public func report(_ figures: String) {
    let line = "campaign \(name): \(figures); seed \(seed)\n"
    print(line, terminator: "")
    guard let path = ProcessInfo.processInfo.environment["LISTSYNC_TORTURE_REPORT"] else { return }
    Self.append(line, to: path)
  }

  private static func append(_ line: String, to path: String) {
    // One write to a file opened for appending: lines of tests that run side by side do not mix.
    guard let file = fopen(path, "a") else { return }
    fputs(line, file)
    fclose(file)
  }
}
