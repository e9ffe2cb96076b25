import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// Opens damaged files, asks all queries, and judges the answers.
struct DamagedStore {
  /// The result of one damage.
  struct Verdict {
    /// The number of refused queries; all of them if the store could not be opened.
    var refusedCount = 0
    /// The number of the state of all answers; nil if no query was answered.
    var state: Int?
    /// Queries whose answers do not belong to one state.
    var others: [String] = []
    /// Queries for which a damaged index hid existing rows. `verify` finds the damage.
    var hidden: [String] = []
    /// The number of lists that were still exported completely as bundles, from which another store
    /// can be made.
    var bundleCount = 0
    /// Violations: wrong answers, errors that do not name the damage, damage that `verify` missed.
    var faults: [String] = []

    var isDetected: Bool { refusedCount > 0 }
  }

  private let folder: URL
  let path: String

  init() throws {
    folder = try TemporaryFolder.make()
    path = folder.appendingPathComponent("test.db").path
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Commits a new version of each list, if the store allows it.
  ///
  /// - Returns: whether any commit succeeded.
  func commit(to files: StoreFiles) async throws -> Bool {
    try files.write(to: path)
    var isAnyDone = false
    do {
      let service = SyncService(store: try SQLiteStore(path: path, ifAbsent: .fail)) {
        TestStore.noon
      }
      for list in [ListName.parks, .films] {
        _ = try await service.commit(
          CommitRequest(
            list: list, edits: [.put(try TestHistory.item("i3", 4711), .first)]))
        isAnyDone = true
      }
    } catch {
      // The commit was refused; the queries check that the error names the damage.
    }
    return isAnyDone
  }

  /// Asks the queries whose answers commits cannot change.
  func examineEarlier(_ state: DamageFixture.State) async throws -> Verdict {
    try await examine(nil, [state], DamageQuery.ofEarlierVersions)
  }

  /// - Parameter states: the states that the answers may come from, all from the same one.
  func examine(_ files: StoreFiles, _ states: [DamageFixture.State]) async throws -> Verdict {
    try await examine(files, states, DamageQuery.all)
  }

  /// - Parameter files: nil if they are already there.
  private func examine(
    _ files: StoreFiles?, _ states: [DamageFixture.State], _ queries: [DamageQuery]
  ) async throws -> Verdict {
    try files?.write(to: path)
    var verdict = Verdict()
    let store: SQLiteStore
    do {
      store = try SQLiteStore(readingFrom: path)
    } catch {
      verdict.refusedCount = queries.count
      if !Self.tellsOfDamage(error) { verdict.faults.append("opening threw \(error)") }
      return verdict
    }
    let service = SyncService(store: store) { TestStore.noon }
    var possible = Set(states.indices)
    var isAnswered = false
    for query in queries {
      do {
        let value = try await query.ask(service)
        let fitting = possible.filter {
          DamageQuery.isSame(value, states[$0].values[query.name])
        }
        if fitting.isEmpty, query.mayMiss {
          verdict.hidden.append(query.name)
        } else if fitting.isEmpty {
          verdict.others.append(query.name)
        } else {
          possible = fitting
        }
        isAnswered = true
        if query.isBundle { verdict.bundleCount += 1 }
      } catch  where Self.missesSomething(error) {
        verdict.hidden.append(query.name)
      } catch {
        verdict.refusedCount += 1
        if !Self.tellsOfDamage(error) {
          verdict.faults.append("\(query.name) threw \(error)")
        }
      }
    }
    if isAnswered { verdict.state = possible.max() }
    // The short form does not verify a store in which no query met damage.
    if verdict.isDetected || !(verdict.others + verdict.hidden).isEmpty || Campaign.isLong {
      try await verify(service, &verdict)
    }
    return verdict
  }

  /// `verify` finds the damage that queries met. If it finds nothing, the queries met none.
  private func verify(_ service: SyncService, _ verdict: inout Verdict) async throws {
    do {
      let report = try await service.verify(depth: .everything)
      if verdict.isDetected || !(verdict.others + verdict.hidden).isEmpty,
        report.faults.isEmpty
      {
        verdict.faults.append("verify finds nothing")
      }
    } catch {
      if !Self.tellsOfDamage(error) { verdict.faults.append("verify threw \(error)") }
      verdict.refusedCount += 1
    }
  }

  /// Whether an error says that a list or an item does not exist, which a damaged index can cause.
  private static func missesSomething(_ error: any Error) -> Bool {
    switch error {
    case ServiceError.noSuchList, ServiceError.noSuchItem, ServiceError.itemAbsent: true
    default: false
    }
  }

  /// Whether an error says that the store is damaged, or not a store of this program.
  static func tellsOfDamage(_ error: any Error) -> Bool {
    switch error {
    case StoreError.corrupt, StoreError.notADatabase, StoreError.foreign, StoreError.newer,
      ServiceError.broken:
      true
    default: false
    }
  }
}
