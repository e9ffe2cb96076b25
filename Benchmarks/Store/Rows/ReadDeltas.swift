import ArgumentParser
import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import SyncService

/// The results of a reading process.
struct ReaderReport: Codable {
  /// The time of every reading, from opening the store to the delta.
  var seconds: [Double] = []
  var errors: [String] = []
}

/// Reads deltas, opening the store every time, with pauses: the processors must not be what is
/// measured.
struct ReadDeltas: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads deltas again and again.", shouldDisplay: false)

  @Argument var store: String
  @Option(help: "Where the report is written.") var report: String
  @Option(help: "Readings end, after the seconds, when this file is there.") var stop: String
  @Option var seconds: Double

  private static let pause = Duration.milliseconds(50)

  func run() async throws {
    var result = ReaderReport()
    let end = Clock.wallSeconds() + seconds
    while Clock.wallSeconds() < end || !FileManager.default.fileExists(atPath: stop) {
      do {
        result.seconds.append(try await Clock.measureAsync(read).1.wallSeconds)
      } catch {
        result.errors.append("\(error)")
      }
      try await Task.sleep(for: Self.pause)
    }
    try JSONEncoder().encode(result).write(to: URL(fileURLWithPath: report))
  }

  private func read() async throws {
    let service = SyncService(store: try SQLiteStore(readingFrom: store)) { Timestamp(Date()) }
    let delta = try await service.delta(
      of: ParkStore.list, since: .version(Version(1)), to: .version(Version(2)))
    precondition(delta.changes.count > 0, "the second version changed the list")
  }
}
