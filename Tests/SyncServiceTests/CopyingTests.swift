import ListModel
import StoreTestSupport
import SyncService
import Testing

/// Copies between two stores of one engine. `TransferTests` of PostgreSQL copies to another one.
struct CopyingTests {
  private func copied(versionCount: Int) async throws -> (source: TestStore, target: TestStore) {
    let (source, target) = (try TestStore(), try TestStore())
    for number in 0..<versionCount { try await source.commit(["\(number)"]) }
    _ = try await target.service.copy(.parks, from: source.service)
    return (source, target)
  }

  /// A former fault: the source had diverged, as if both had got commits of their own.
  @Test func sourceThatEndsBeforeTheOldestVersionOfTheTargetIsTooOld() async throws {
    let (source, target) = try await copied(versionCount: 2)
    for number in 2..<5 { try await target.commit(["\(number)"]) }
    _ = try await target.service.prune(keepLast: 1)
    let end = try await source.service.state(of: ListRevision(.parks)).knownCursor
    let oldest = try await target.service.state(of: ListRevision(.parks)).knownCursor
    await #expect(
      throws: ServiceError.endsTooOld(target: end, list: .parks, oldest: oldest)
    ) { try await target.service.copy(.parks, from: source.service) }
    #expect(try await target.service.log(of: .parks).count == 1)
  }

  /// Version 0 is the start of each history.
  @Test func sourceWithoutVersionsAddsNothing() async throws {
    let (source, target) = (try TestStore(), try TestStore())
    try await source.commit([])
    try await target.commit(["a"])
    let outcome = try await target.service.copy(.parks, from: source.service)
    #expect(outcome.addedCount == 0 && outcome.head.version == Version(1))
  }

  @Test func sourceWithAnotherHistoryHasDiverged() async throws {
    let (source, target) = try await copied(versionCount: 1)
    try await source.commit(["x"])
    for number in 1...2 { try await target.commit(["\(number)"]) }
    await #expect {
      try await target.service.copy(.parks, from: source.service)
    } throws: { error in
      if case ServiceError.diverged = error { true } else { false }
    }
  }
}
