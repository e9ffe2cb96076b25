import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Readers and decoders with inputs that are almost valid.
@Suite struct FuzzCampaign {
  private static let campaign = Campaign("fuzz")

  @Test(arguments: FuzzTarget.allCases)
  func everySeedIsAcceptedUnchanged(_ target: FuzzTarget) throws {
    for seed in target.seeds + Self.examples(for: target) { #expect(try target.run(seed)) }
  }

  /// Accepted input survives writing and reading unchanged.
  @Test(arguments: FuzzTarget.allCases)
  func mutatedInputNeverTrapsHangsOrIsMisread(_ target: FuzzTarget) throws {
    let part = FuzzTarget.allCases.firstIndex(of: target) ?? 0
    let seeds = target.seeds + Self.examples(for: target)
    var mutator = Mutator(seeds, random: Self.campaign.random(part))
    // If a trap ends the process, this folder keeps the input.
    let folder = try TemporaryFolder.make()
    let trace = folder.appendingPathComponent("\(target.rawValue)-input")
    try Data().write(to: trace)
    let file = try FileHandle(forWritingTo: trace)
    defer { try? file.close() }
    print("fuzzing \(target.rawValue): the input at work is \(trace.path)")
    let rounds = Self.campaign.rounds(800, long: 400_000)
    var (acceptedCount, slowestSeconds) = (0, 0.0)
    for round in 0..<rounds {
      let input = mutator.next()
      // A file that is opened anew for each input waits for the disk each time.
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: input)
      let start = ContinuousClock.now
      do {
        if try target.run(input) { acceptedCount += 1 }
      } catch {
        Issue.record(
          """
          seed \(Self.campaign.seed), round \(round): \(error)
          \(Data(input).base64EncodedString())
          """
        )
      }
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      slowestSeconds = max(slowestSeconds, seconds)
      // Inputs have at most 16 KiB, so a longer time is a hang.
      #expect(seconds < 20, "seed \(Self.campaign.seed), round \(round)")
    }
    #expect(acceptedCount > 0 && acceptedCount < rounds, "seed \(Self.campaign.seed)")
    try FileManager.default.removeItem(at: folder)
    Self.campaign.report(
      """
      \(target.rawValue): \(rounds) inputs, \(acceptedCount) accepted, no finding unless told \
      above
      """
    )
  }

  private static func examples(for target: FuzzTarget) -> [[UInt8]] {
    guard target == .json else { return [] }
    let names = ["parks-before.json", "parks-after.json", "movies/monday.json"]
    return names.compactMap { name in
      let url = Project.root.appendingPathComponent("Examples").appendingPathComponent(name)
      return (try? Data(contentsOf: url)).map { Array($0) }
    }
  }
}
