import Foundation

/// A search for faults that can be as long as you like. `make test` runs a share of it; `make
/// torture` runs the long form by setting `LISTSYNC_TORTURE`.
///
/// `Tests/README.md` lists the campaigns, and `Documentation/TestResults.md` has the results of
/// their long forms.
public struct Campaign: Sendable {
  public let name: String
  public let seed: UInt64
  private let start = ContinuousClock.now

  /// Whether the long form runs.
  public static let isLong = ProcessInfo.processInfo.environment["LISTSYNC_TORTURE"] != nil

  /// The text of `Tests/README.md`.
  public static func page() throws -> String {
    try String(contentsOf: Project.root.appendingPathComponent("Tests/README.md"), encoding: .utf8)
  }

  /// - Parameter name: as in `Tests/README.md`.
  public init(_ name: String) {
    self.name = name
    seed = SeededRandom.forThisRun().seed
  }

  /// The number of rounds of the campaign.
  public func rounds(_ share: Int, long: Int) -> Int { Self.isLong ? long : share }

  /// A generator for one part of the campaign. It depends on the seed and the part only.
  public func random(_ part: Int = 0) -> SeededRandom {
    // Numbers of parts could make seeds that differ by a multiple of the generator's own step. Then
    // every part would get the numbers of the part before, without the first.
    var parts = SeededRandom(seed: UInt64(truncatingIfNeeded: part))
    return SeededRandom(seed: seed ^ parts.next())
  }

  /// Prints one line with the result and the seconds since the campaign was made. The line also
  /// goes to the file that LISTSYNC_TORTURE_REPORT names.
  public func report(_ figures: String) {
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    let line = "campaign \(name): \(figures); \(seconds) s; seed \(seed)\n"
    print(line, terminator: "")
    guard let path = ProcessInfo.processInfo.environment["LISTSYNC_TORTURE_REPORT"] else { return }
    Self.append(line, to: path)
  }

  private static func append(_ line: String, to path: String) {
    // One write to a file opened for appending: lines of parallel tests do not mix.
    guard let file = fopen(path, "a") else { return }
    fputs(line, file)
    fclose(file)
  }
}
