import FaultyFiles
import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Campaign 5: after a power cut, the disk holds everything that was acknowledged.
@Suite struct PowerLossCampaign {
  /// The power cut may keep, drop or tear every unsynced sector.
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func acknowledgedVersionsSurviveEveryPowerCutWhole() async throws {
    let campaign = Campaign("power loss")
    var random = campaign.random()
    var tally = Tally()
    for round in 0..<campaign.rounds(1, long: 120) {
      let history = try await PowerLossHistory(actCount: 24, interval: 24, nil, &random)
      for moment in history.moments {
        for (image, loss) in try await Self.losses(at: moment, of: history, &random) {
          tally.count(moment, loss)
          guard let loss else { continue }
          Issue.record("\(image) of round \(round): \(loss), seed \(campaign.seed)")
        }
      }
    }
    #expect(tally.middleCount > 0, "seed \(campaign.seed)")
    campaign.report("\(tally)")
  }

  @Test(
    .timeLimit(.minutes(Hang.minutes)),
    arguments: [PowerLossHistory.Synchronous.off, .normal])
  func sameImagesShowLossesWhenCommitsAreNotSynced(_ synchronous: PowerLossHistory.Synchronous)
    async throws
  {
    let campaign = Campaign("power loss, synchronous=\(synchronous.rawValue)")
    var random = campaign.random(synchronous == .off ? 1 : 2)
    var tally = Tally()
    // Losses occur by chance: a share goes on until it has seen one, within bounds.
    let (least, most) = (campaign.rounds(1, long: 40), campaign.rounds(10, long: 40))
    for round in 0..<most {
      let isSeen = tally.lostCount > 0 && (synchronous == .normal || tally.brokenCount > 0)
      if round >= least, isSeen { break }
      let history = try await PowerLossHistory(actCount: 16, interval: 40, synchronous, &random)
      for moment in history.moments {
        for (_, loss) in try await Self.losses(at: moment, of: history, &random) {
          tally.count(moment, loss)
          // Several unsynced commits may leave a write-ahead log without its middle, which SQLite
          // recovers up to there. So this mode may lose commits, and has no other effect.
          if synchronous == .normal, case .broken(let why)? = loss {
            Issue.record("\(why), seed \(campaign.seed)")
          }
        }
      }
    }
    #expect(tally.lostCount > 0, "seed \(campaign.seed)")
    #expect(synchronous == .normal || tally.brokenCount > 0, "seed \(campaign.seed)")
    campaign.report("\(tally)")
  }

  private enum Loss {
    /// The store has the state after fewer acts than were acknowledged.
    case lost(Int)
    /// The store cannot be opened, is damaged, or holds a state that never existed.
    case broken(String)
  }

  /// The missing data in each of some images of a moment.
  private static func losses(
    at moment: PowerLossHistory.Moment, of history: PowerLossHistory,
    _ random: inout SeededRandom
  ) async throws -> [(image: String, loss: Loss?)] {
    var losses: [(String, Loss?)] = []
    for image in ["all dropped", "all kept", "random", "random"] {
      let folder = try TemporaryFolder.make()
      defer { try? FileManager.default.removeItem(at: folder) }
      switch image {
      case "all dropped": try moment.disk.writeImage(to: folder, .allDropped)
      case "all kept": try moment.disk.writeImage(to: folder, .allKept)
      default: try moment.disk.writeImage(to: folder, using: &random)
      }
      losses.append((image, await loss(in: folder, at: moment, of: history)))
    }
    return losses
  }

  private static func loss(
    in folder: URL, at moment: PowerLossHistory.Moment, of history: PowerLossHistory
  ) async -> Loss? {
    do {
      let path = folder.appendingPathComponent("test.db").path
      let service = SyncService(store: try SQLiteStore(path: path, ifAbsent: .create)) {
        TestStore.noon
      }
      let faults = try await service.verify(depth: .everything).faults
      if let fault = faults.first { return .broken("\(fault)") }
      let facts = try await StoreFacts(of: service)
      let count = moment.acknowledgedCount
      if history.facts[count...].prefix(2).contains(facts) { return nil }
      let older = history.facts[..<count].lastIndex(of: facts)
      return older.map { .lost(count - $0) } ?? .broken("it tells what never was")
    } catch {
      return .broken("\(error)")
    }
  }

  private struct Tally: CustomStringConvertible {
    private(set) var (imageCount, middleCount, lostCount, brokenCount) = (0, 0, 0, 0)

    mutating func count(_ moment: PowerLossHistory.Moment, _ loss: Loss?) {
      imageCount += 1
      middleCount += moment.disk.isSynced ? 0 : 1
      switch loss {
      case .lost: lostCount += 1
      case .broken: brokenCount += 1
      case nil: break
      }
    }

    var description: String {
      """
      \(imageCount) images (\(middleCount) with unsynced writes), \(lostCount) without \
      acknowledged versions, \(brokenCount) broken
      """
    }
  }
}
