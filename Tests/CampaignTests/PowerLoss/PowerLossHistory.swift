import FaultyFiles
import Foundation
import GRDB
import ListModel
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport

@testable import ListStore
@testable import SQLiteStore

/// A random history of a store, with the disk's state at random moments of it.
struct PowerLossHistory {
  /// The sync mode of the writing connection; nil for the product's own.
  enum Synchronous: String {
    case off, normal
  }

  /// The disk at one moment.
  struct Moment: Sendable {
    let disk: DiskState
    /// The number of acts that had returned.
    let acknowledgedCount: Int
  }

  /// The store's answers after each number of acts.
  private(set) var facts: [StoreFacts] = [StoreFacts()]
  private(set) var moments: [Moment] = []
  private let subject: FaultSubject
  private let synchronous: Synchronous?
  private var items: [String] = []
  private var nextID = 0

  /// Runs acts, and records the disk's state before about every `interval`-th operation.
  init(
    actCount: Int, interval: Int, _ synchronous: Synchronous?, _ random: inout SeededRandom
  ) async throws {
    subject = try FaultSubject()
    self.synchronous = synchronous
    let recorder = MomentRecorder(interval: interval, random)
    subject.faults.observe { recorder.record($1) }
    try await reopen()
    for number in 1...actCount {
      try await act(&random)
      facts.append(try await StoreFacts(of: subject.service))
      recorder.acknowledge(number)
      recorder.record(subject.faults.disk)
      if Int.random(in: 0..<12, using: &random) == 0 { try await reopen() }
    }
    subject.store = nil
    subject.faults.observe(nil)
    moments = recorder.moments
  }

  private func reopen() async throws {
    subject.store = nil
    let store = try subject.opened()
    // SQLite plays the write-ahead log into the file every few commits.
    store.runWALCheckpoints(everyPages: 40)
    guard let synchronous else { return }
    try await store.withoutTransaction {
      try $0.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
    }
  }

  private mutating func act(_ random: inout SeededRandom) async throws {
    let service = try subject.service
    let log = facts[facts.count - 1].lists[.parks]?.log ?? []
    switch Int.random(in: 0..<12, using: &random) {
    case 0 where log.count > 3: try await service.prune(keepLast: log.count - 2)
    case 1 where !log.isEmpty:
      let version = log.randomElement(using: &random)?.version ?? .zero
      _ = try await service.tag(
        TagName("t\(Int.random(in: 0..<3, using: &random))")!, of: .parks, at: .version(version),
        isForced: true)
    case 10 where !log.isEmpty: _ = try await service.compact(.parks)
    case 11 where !log.isEmpty: _ = try await service.compactIfDue(.parks)
    case 2:
      let film = ["film \(Int.random(in: 0..<1000, using: &random))"]
      _ = try await service.commit(.init(list: ListName("films")!, snapshot: .of(film)))
    default:
      edit(&random)
      _ = try await service.commit(.init(list: .parks, snapshot: .of(items)))
    }
  }

  private mutating func edit(_ random: inout SeededRandom) {
    items.removeAll { _ in Int.random(in: 0..<8, using: &random) == 0 }
    for index in items.indices where Int.random(in: 0..<8, using: &random) == 0 {
      let id = items[index].prefix { $0 != "=" }
      items[index] = "\(id)=\(Int.random(in: 1...9, using: &random))"
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      nextID += 1
      items.insert("i\(nextID)", at: .random(in: 0...items.count, using: &random))
    }
  }
}

/// Records the disk's state at random moments.
private final class MomentRecorder: Sendable {
  private struct State {
    var random: SeededRandom
    var acknowledgedCount = 0
    var moments: [PowerLossHistory.Moment] = []
  }

  private let interval: Int
  private let state: Mutex<State>

  init(interval: Int, _ random: SeededRandom) {
    self.interval = interval
    state = Mutex(State(random: random))
  }

  var moments: [PowerLossHistory.Moment] { state.withLock { $0.moments } }

  func acknowledge(_ count: Int) { state.withLock { $0.acknowledgedCount = count } }

  func record(_ disk: DiskState) {
    state.withLock { state in
      guard Int.random(in: 0..<interval, using: &state.random) == 0 else { return }
      state.moments.append(.init(disk: disk, acknowledgedCount: state.acknowledgedCount))
    }
  }
}
