import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService

/// Acts upon a store, one after the other and each acknowledged, until the process is killed.
struct VictimWork {
  private let path: String
  private let sourcePath: String
  private let seed: UInt64
  private let first: Int

  /// The process ends after this number of acts if no one kills it.
  private static let actCount = 20_000

  init(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count == 4, let seed = UInt64(arguments[2]), let first = Int(arguments[3])
    else { throw UsageError() }
    (path, sourcePath, self.seed, self.first) = (arguments[0], arguments[1], seed, first)
  }

  func run() async throws {
    let source = SyncService(store: try SQLiteStore(readingFrom: sourcePath)) {
      Timestamp(Date())
    }
    let store = try SQLiteStore(path: path, ifAbsent: .create)
    for number in first..<first + Self.actCount {
      let act = KillAct(number: number, seed: seed)
      let cursor = try await act.perform(on: store, at: path, source: source)
      CampaignWorker.say(Acknowledgement(number: number, cursor: cursor).line)
    }
  }
}
