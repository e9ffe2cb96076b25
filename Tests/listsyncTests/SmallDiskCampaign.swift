import Foundation
import TestSupport
import Testing

/// Campaign 6 with the built program, on a disk that is really full.
@Suite struct SmallDiskCampaign {
  /// Commits exit with 8 and resume once there is room.
  @Test(
    .enabled(if: SmallDisk.isAllowed, "skipped: a small disk cannot be mounted here"),
    .timeLimit(.minutes(Hang.minutes)))
  func fullDiskStopsCommitsWithExit8ButNotReadsUntilThereIsRoom() async throws {
    let campaign = Campaign("small disk")
    var random = campaign.random()
    var tally = Tally()
    for _ in 0..<campaign.rounds(1, long: 12) {
      let trial = try SmallDiskTrial(kilobyteCount: .random(in: 500...900, using: &random))
      try await trial.commitUntilFull(&random, &tally)
      try await trial.expectReading(withRoomFor: 0, &tally)
      for kilobyteCount in [0, 8, .random(in: 1...40, using: &random)] {
        try await trial.close()
        try await trial.expectReading(withRoomFor: kilobyteCount, &tally)
      }
      try await trial.expectCommits(&tally)
    }
    campaign.report(
      """
      \(tally.commitCount) commits, \(tally.refusalCount) refused with exit 8, \(tally.readCount) \
      reads of a full disk
      """)
  }

  struct Tally {
    var (commitCount, refusalCount, readCount) = (0, 0, 0)
  }
}

/// One store on one small disk.
private final class SmallDiskTrial {
  private let disk: SmallDisk
  private let harness: CommandLineHarness
  /// The last acknowledged snapshot, and the number of acknowledged commits.
  private var head: [UInt8] = []
  private var version = 0

  init(kilobyteCount: Int) throws {
    disk = try SmallDisk(kilobyteCount: kilobyteCount)
    harness = try CommandLineHarness()
    try Data(count: 200 << 10).write(to: ballast)
  }

  /// The file that is removed in the end to free space.
  private var ballast: URL { disk.folder.appendingPathComponent("ballast") }

  private func run(_ arguments: String...) async throws -> CommandLineHarness.Outcome {
    try await run(arguments)
  }

  private func run(_ arguments: [String]) async throws -> CommandLineHarness.Outcome {
    let path = disk.folder.appendingPathComponent("listsync.db").path
    return try await harness.run(arguments, environment: ["LISTSYNC_STORE": path])
  }

  /// Commits longer and longer lists until one is refused.
  func commitUntilFull(
    _ random: inout SeededRandom, _ tally: inout SmallDiskCampaign.Tally
  ) async throws {
    var isFull = false
    for number in 1...60 where !isFull {
      isFull = try await !commit(Self.items(number * 90, &random), &tally)
    }
    #expect(isFull && version > 0)
  }

  /// Leaves the store without WAL and shared memory, as a single process with free space does.
  func close() async throws {
    disk.emptyOut()
    #expect(try await run("show", "l").exitCode == 0)
  }

  /// Verifies that with too little space, acknowledged commits can be read and commits are
  /// refused.
  func expectReading(
    withRoomFor kilobyteCount: Int, _ tally: inout SmallDiskCampaign.Tally
  ) async throws {
    try disk.fill(leavingKilobyteCount: kilobyteCount)
    let shown = try await run("show", "l")
    #expect(shown.exitCode == 0 && shown.output == head, "\(kilobyteCount) kB: \(shown.errorText)")
    let log = try await run("log", "l", "--json")
    #expect((try log.json() as? [Any])?.count == version, "\(kilobyteCount) kB: \(log.errorText)")
    for verb in [["delta", "l", "--since", "0"], ["verify", "--deep"], ["lists"]] {
      let outcome = try await run(verb)
      #expect(outcome.exitCode == 0, "\(kilobyteCount) kB, \(verb): \(outcome.errorText)")
    }
    tally.readCount += 5
    var random = SeededRandom(seed: 1)
    #expect(try await !commit(Self.items(3000, &random), &tally))
  }

  /// Verifies that commits are accepted again when there is space.
  func expectCommits(_ tally: inout SmallDiskCampaign.Tally) async throws {
    disk.emptyOut()
    try FileManager.default.removeItem(at: ballast)
    let longer = String(decoding: head.dropLast(3), as: UTF8.self) + ",\n{\"id\":\"z\"}\n]\n"
    #expect(try await commit(longer, &tally))
    #expect(try await run("show", "l").output == Array(longer.utf8))
    let verified = try await run("verify", "--deep")
    #expect(verified.exitCode == 0, "\(verified)")
  }

  private static func items(_ count: Int, _ random: inout SeededRandom) -> String {
    let items = (0..<count).map { index in
      #"{"id":"i\#(index)","v":\#(UInt64.random(in: 0...UInt64.max >> 12, using: &random))}"#
    }
    return "[\n\(items.joined(separator: ",\n"))\n]\n"
  }

  /// Whether a list could be written to the disk in the form of the store's documents.
  private func commit(
    _ list: String, _ tally: inout SmallDiskCampaign.Tally
  ) async throws -> Bool {
    try harness.write(list, to: "next.json")
    let outcome = try await run("commit", "l", harness.url("next.json").path)
    tally.commitCount += 1
    if outcome.exitCode == 0 {
      (head, version) = (Array(list.utf8), version + 1)
      return true
    }
    tally.refusalCount += 1
    expectRefusal(outcome, code: 8, says: ["the disk is full", "Free some space and try again"])
    return false
  }
}
