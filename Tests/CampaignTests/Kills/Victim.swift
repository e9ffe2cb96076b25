import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A store whose processes are killed one after the other, with its expected values.
struct Victim {
  /// A fault of the store, or of the acknowledgements.
  struct Loss: Error, CustomStringConvertible {
    let description: String
  }

  /// The result of a kill.
  enum Hit {
    /// The process acknowledged nothing more, and did nothing more.
    case undone
    /// One act was completed but not acknowledged.
    case doneUnacknowledged
  }

  private let folder: URL
  private let path: String
  private let seed: UInt64
  private let source: KillSource
  private var twin = TwinStore()
  /// How many acts are known to be done.
  private var actCount = 0

  init(seed: UInt64, source: KillSource) throws {
    folder = try TemporaryFolder.make()
    path = folder.appendingPathComponent("test.db").path
    (self.seed, self.source) = (seed, source)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// The act after those known to be completed.
  var nextAct: KillAct { KillAct(number: actCount + 1, seed: seed) }

  /// Whether a process left a write-ahead log that no connection has played back yet.
  var hasHotLog: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes?[.size] as? Int ?? 0) > 0
  }

  /// Lets a process run the next acts, and kills it.
  ///
  /// - Returns: the number of acts that it acknowledged.
  mutating func work(kill: WorkerProcess.Kill) async throws -> Int {
    let outcome = try await WorkerProcess.run(
      ["kill", path, source.test.path, "\(seed)", "\(actCount + 1)"], kill: kill)
    guard outcome.isKilled else {
      throw Loss(description: "it ended by itself: \(outcome.lines.last ?? "without a word")")
    }
    for line in outcome.lines {
      guard let said = Acknowledgement(line: line) else { throw Loss(description: line) }
      let cursor = try twin.perform(nextAct, source: source.twin)
      guard said == Acknowledgement(number: actCount + 1, cursor: cursor) else {
        throw Loss(
          description: "act \(actCount + 1) leads to \(cursor?.description ?? "-"), not \(line)")
      }
      actCount += 1
    }
    return outcome.lines.count
  }

  /// Opens the store, examines all of it, and runs the next act.
  mutating func check() async throws -> Hit {
    let store = try SQLiteStore(path: path, ifAbsent: .create)
    let service = SyncService(store: store) { TestStore.noon }
    let faults = try await service.verify(depth: .everything).faults
    guard faults.isEmpty else { throw Loss(description: "\(faults)") }
    let hit = try await matchActs(in: service)
    try await checkBackup()
    let act = nextAct
    let cursor = try await act.perform(
      on: store, at: path,
      source: SyncService(store: try SQLiteStore(readingFrom: source.test.path)) { act.time })
    let view = try await StoreView(of: service)
    guard try cursor == twin.perform(act, source: source.twin), view == twin.view else {
      throw Loss(description: "act \(act.number), \(act.kind.name), does not work after the kill")
    }
    actCount += 1
    return hit
  }

  private mutating func matchActs(in service: SyncService) async throws -> Hit {
    let view = try await StoreView(of: service)
    var next = twin
    _ = try next.perform(nextAct, source: source.twin)
    if view == twin.view { return .undone }
    guard view == next.view else {
      throw Loss(
        description: """
          after \(actCount) acts and perhaps the next (\(nextAct.kind.name)), the store has
          \(view.summary), not
          \(twin.view.summary) or
          \(next.view.summary)
          """)
    }
    twin = next
    actCount += 1
    return .doneUnacknowledged
  }

  /// An existing backup is complete; the unfinished backup of a killed process is not at its path.
  private func checkBackup() async throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.contains(".partial") {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
    let path = KillAct.backupPath(of: path)
    guard FileManager.default.fileExists(atPath: path) else { return }
    let copy = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
    let faults = try await copy.verify().faults
    guard faults.isEmpty else { throw Loss(description: "the backup is not whole: \(faults)") }
    // Each backup is examined once; the next backup makes another.
    try FileManager.default.removeItem(atPath: path)
  }
}
