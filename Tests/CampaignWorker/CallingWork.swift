import Foundation
import ListStore
import PostgresTestSupport
import SQLiteStore
import StoreTestSupport

/// The calls of one caller, each reported when it has returned.
struct CallingWork {
  private let place: StorePlace
  private let caller: CampaignCaller
  /// When all callers begin, in nanoseconds of the shared clock.
  private let startAt: UInt64

  init(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count == 6, let role = CampaignCaller.Role(rawValue: arguments[1]),
      let index = Int(arguments[2]), let seed = UInt64(arguments[3]), let count = Int(arguments[4]),
      let startAt = UInt64(arguments[5])
    else { throw UsageError() }
    (place, self.startAt) = (StorePlace(arguments[0]), startAt)
    caller = CampaignCaller(role: role, index: index, seed: seed, callCount: count)
  }

  func run() async throws {
    while SharedClock.nanoseconds < startAt { usleep(200) }
    try await caller.run(reopens: true, open: open) {
      CampaignWorker.say(try $0.line())
    }
  }

  /// Every second reader opens the store as the verbs do that only read. Writers run WAL
  /// checkpoints as often as they can, each at its own pace.
  private func open() throws -> any ListStore {
    if caller.role == .reader, caller.index % 2 == 0 { return try place.open(.reading) }
    let store = try place.open(.writing)
    (store as? SQLiteStore)?.runWALCheckpoints(everyPages: 1 << (caller.index % 6))
    return store
  }
}
