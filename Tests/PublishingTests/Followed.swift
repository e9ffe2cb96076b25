import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport

@testable import SyncClient

/// A published list, with all its versions.
final class Followed {
  let publication: Publication
  let transport: FolderTransport
  /// That of the last session.
  private(set) var storage = CountedMemory(.empty)
  private(set) var items: [Item]
  private(set) var versions: [ListCopy] = [.empty]
  private var random = SeededRandom.forThisRun()

  init(base: Int = 2, count: Int = 400) async throws {
    publication = try Publication(base: base)
    transport = FolderTransport(publication.folder)
    items = try Snapshot.of((0..<count).map { "i\($0)" }).items
  }

  func commit(_ count: Int = 1) async throws {
    for _ in 0..<count {
      if versions.count > 1 { items = try Publication.edited(items, &random) }
      try await publication.commit(items)
      let (state, snapshot) = try await publication.test.service.snapshot(
        of: .parks, at: .head)
      if state.version.number == versions.count {
        versions.append(try ListCopy(state: state, snapshot: snapshot))
      }
    }
  }

  var head: ListCopy { versions[versions.count - 1] }

  /// The file of the delta that leads over a number of versions to one.
  func delta(_ length: Int = 1, to version: Int) -> String {
    "delta/\(length)/\(versions[version].cursor).json"
  }

  func session(
    from copy: ListCopy = .empty, watches: Bool = false, proves: Bool = false,
    key: VerifierKey? = nil, tryLimit: Int? = 4, clock: ReplicaClock = .immediate
  ) -> ReplicaSession {
    var options = ReplicaMachine.Options(list: .parks)
    options.key = key
    (options.watches, options.proves, options.retry.tryLimit) = (watches, proves, tryLimit)
    storage = CountedMemory(copy)
    return ReplicaSession(
      options, origin: AddressOrigin(transport, clock: clock), storage: storage, clock: clock)
  }

  /// The copy that a replica has caught up to, and the reason of its last step.
  @discardableResult func caughtUp(
    from copy: ListCopy = .empty, proves: Bool = false, key: VerifierKey? = nil
  ) async throws -> (copy: ListCopy, reasons: [ReplicaStep.Reason]) {
    let session = session(from: copy, proves: proves, key: key)
    try await session.start()
    try await session.settle()
    var reasons: [ReplicaStep.Reason] = []
    for try await update in session.updates(after: copy) { reasons.append(update.reason) }
    return (await session.copy, reasons)
  }
}

/// A storage in memory that counts what is saved.
actor CountedMemory: ReplicaStorage {
  private var copy: ListCopy
  private(set) var stepCount = 0

  init(_ copy: ListCopy) { self.copy = copy }

  func load() -> ListCopy { copy }

  func edits() -> EditQueue { .empty }

  func save(_ step: ReplicaStep?, _ edits: EditQueue?) {
    if let step { (copy, stepCount) = (step.after, stepCount + 1) }
  }
}

extension ReplicaClock {
  /// Waits take no time.
  static let immediate = ReplicaClock {
    0
  } sleep: { _ in
    await Task.yield()
  } random: {
    0.5
  }
}
