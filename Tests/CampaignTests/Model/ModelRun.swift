import ListModel
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport

/// Two stores and their twins, while both run a sequence of commands.
final class ModelRun {
  let clock = ModelClock()
  let isLarge: Bool
  let stores: [ModelStore]
  /// The actual calls, in order.
  private(set) var calls: [String] = []
  private(set) var refusalCount = 0

  /// - Parameter engines: of the two stores.
  init(isLarge: Bool, on engines: [StoreEngine]) throws {
    self.isLarge = isLarge
    stores = try engines.map { [clock] in try ModelStore(clock, $0) }
  }

  /// - Throws: `ModelDifference` when an answer is not the twin's.
  func execute(_ commands: [ModelCommand]) async throws {
    for command in commands {
      var choices = ModelChoices(command.seed, isLarge: isLarge)
      clock.advance(milliseconds: choices.element(of: [0, 1, 60_000, 7_200_000, -3_600_000]))
      let other = choices.chance(5)
      try await execute(command.verb, on: stores[other ? 1 : 0], &choices)
    }
    for store in stores { try await checkAll(of: store) }
  }

  private func execute(
    _ verb: ModelCommand.Verb, on store: ModelStore, _ choices: inout ModelChoices
  ) async throws {
    switch verb {
    case .commit: try await commit(store, &choices, isDry: false)
    case .preview: try await commit(store, &choices, isDry: true)
    case .commitDelta: try await commitDelta(store, &choices)
    case .edit: try await edit(store, &choices, isDry: false)
    case .previewEdit: try await edit(store, &choices, isDry: true)
    case .revert: try await revert(store, &choices)
    case .importStates: try await importStates(store, &choices)
    case .show: try await show(store, &choices)
    case .delta: try await delta(store, &choices)
    case .catchUp: try await catchUp(store, &choices)
    case .replay: try await replay(store, &choices)
    case .log: try await log(store, &choices)
    case .history: try await history(store, &choices)
    case .lists: try await lists(store)
    case .tag: try await tag(store, &choices)
    case .removeTag: try await removeTag(store, &choices)
    case .prune: try await prune(store, &choices, isDry: false)
    case .prunePlan: try await prune(store, &choices, isDry: true)
    case .compact: try await compact(store, &choices)
    case .drop: try await drop(store, &choices)
    case .rename: try await rename(store, &choices)
    case .transfer: try await transfer(from: stores[0], to: stores[1], &choices)
    case .transferBack: try await transfer(from: stores[1], to: stores[0], &choices)
    case .verify: try await verify(store)
    case .backup: try await backUp(store, &choices)
    case .vacuum: try await vacuum(store)
    case .size: try await size(store)
    case .reopen: try store.reopen()
    case .read: try await checkLists(try store.reader(), store.twin)
    }
  }

  /// Calls the service and the twin, and compares their answers.
  func compare<Value: Equatable & Sendable>(
    _ call: String, _ found: () async throws -> Value, with expected: () throws -> Value
  ) async throws {
    calls.append(call)
    let foundAnswer: ModelAnswer<Value>
    let expectedAnswer: ModelAnswer<Value>
    do { foundAnswer = .value(try await found()) } catch { foundAnswer = ModelAnswer(error) }
    do { expectedAnswer = .value(try expected()) } catch { expectedAnswer = ModelAnswer(error) }
    guard foundAnswer == expectedAnswer else {
      throw ModelDifference(call: call, found: "\(foundAnswer)", expected: "\(expectedAnswer)")
    }
    if case .value = foundAnswer {} else { refusalCount += 1 }
  }

  private func checkAll(of store: ModelStore) async throws {
    try await verify(store)
    try await checkLists(store.service, store.twin)
    // There are too many deltas between all versions of long lists.
    let weight = store.twin.lists.map { list in
      list.kept.count * list.kept.count * (list.snapshots.map(\.count).max() ?? 0)
    }
    if weight.reduce(0, +) < 20_000 {
      try await compare("all answers") {
        try await StoreAnswers(of: store.service)
      } with: {
        try store.twin.answers()
      }
    } else {
      for list in store.twin.lists { try await checkSome(of: list, in: store) }
    }
  }

  private func checkSome(of list: TwinList, in store: ModelStore) async throws {
    for version in list.kept {
      try await show(store, list.name, .version(Version(version)))
      try await delta(store, list.name, since: .version(Version(version)), to: .head)
    }
  }
}
