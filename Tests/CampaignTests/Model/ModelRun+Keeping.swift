import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService

extension ModelRun {
  func tag(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let (name, tag) = (choices.listName(), choices.tagName())
    let revision = choices.revision(of: store.twin[name], now: clock.now)
    let isForced = choices.chance(3)
    let service = store.service
    try await compare("tag \(name)@\(revision) as \(tag)\(isForced ? " by force" : "")") {
      try await service.tag(tag, of: name, at: revision, isForced: isForced)
    } with: {
      try store.twin.tag(tag, of: name, at: revision, isForced: isForced, now: clock.now)
    }
  }

  func removeTag(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let (name, tag) = (choices.listName(), choices.tagName())
    let service = store.service
    try await compare("remove tag \(tag) of \(name)") {
      try await service.removeTag(tag, of: name)
    } with: {
      try store.twin.removeTag(tag, of: name)
    }
  }

  private struct Pruned: Equatable, Sendable {
    let plan: TwinStore.Pruning
    let record: PruneRecord?
  }

  func prune(_ store: ModelStore, _ choices: inout ModelChoices, isDry: Bool) async throws {
    let name = choices.listName()
    var request = PruneRequest(list: name, rule: choices.rule())
    request.author = choices.author()
    let (service, asked) = (store.service, request)
    let call = "\(isDry ? "prune plan" : "prune") of \(name): \(request.rule)"
    if isDry {
      return try await compare(call) {
        TwinStore.Pruning(try await service.prunePlan(asked))
      } with: {
        try store.twin.plan(asked, now: clock.now)
      }
    }
    try await compare(call) {
      let outcome = try await service.prune(asked)
      return Pruned(plan: TwinStore.Pruning(outcome.plan), record: outcome.record)
    } with: {
      let (plan, record) = try store.twin.prune(asked, now: clock.now)
      return Pruned(plan: plan, record: record)
    }
    guard let file = store.file else { return }
    let faults = try await LogInvariants.faults(of: file)
    guard faults.isEmpty else {
      throw ModelDifference(call: call, found: "\(faults)", expected: "a tidy log")
    }
  }

  func compact(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    let (name, isDue) = (choices.listName(), choices.chance(3))
    let service = store.service
    try await compare("compact \(name)\(isDue ? " if due" : "")") {
      if isDue {
        _ = try await service.compactIfDue(name)
      } else {
        _ = try await service.compact(name)
      }
      return try await service.size(of: name).versionCount
    } with: {
      try store.twin.list(name).kept.count
    }
  }

  /// Transfers versions from one store to the other, sometimes cut short.
  func transfer(
    from source: ModelStore, to sink: ModelStore, _ choices: inout ModelChoices
  ) async throws {
    let name = choices.listName()
    var request = ExportRequest(list: name)
    if choices.chance(2) {
      request.since = choices.revision(of: source.twin[name], now: clock.now)
    }
    if choices.chance(3) { request.to = choices.revision(of: source.twin[name], now: clock.now) }
    request.batchCount = choices.number(1...50)
    let (service, asked) = (source.service, request)
    var given: TwinStore.Transfer?
    try await compare("export \(name) since \(text(request.since)) to \(request.to)") {
      var export = try await service.export(asked)
      var parts: [BundleEvent] = []
      while case let batch = try await export.nextBatch(), !batch.isEmpty { parts += batch }
      let transfer = TwinStore.Transfer(range: export.header, parts: parts)
      given = transfer
      return transfer
    } with: {
      try source.twin.export(asked)
    }
    guard var transfer = given else { return }
    if choices.chance(6), !transfer.parts.isEmpty { transfer.parts.removeLast() }
    let other = choices.chance(4) ? choices.listName() : nil
    let (sinkService, whole) = (sink.service, transfer)
    try await compare("apply \(transfer.parts.count) parts as \(text(other))") {
      try await sinkService.apply(as: other) { Parts(whole) }
    } with: {
      try sink.twin.apply(whole, as: other)
    }
  }

  private struct Parts: BundleSource {
    private let whole: BundleHeader
    private var parts: ArraySlice<BundleEvent>

    init(_ transfer: TwinStore.Transfer) {
      whole = transfer.range
      parts = transfer.parts[...]
    }

    func header() -> BundleHeader { whole }
    mutating func next() -> BundleEvent? { parts.popFirst() }
  }

  private struct Verified: Equatable, Sendable {
    let list: ListName
    let head: ListState
    let versionCount: Int
  }

  private struct Report: Equatable, Sendable {
    let verified: [Verified]
    let faults: [VerificationReport.Fault]

    init(_ report: VerificationReport) {
      verified = report.verified.map {
        Verified(list: $0.list, head: $0.head, versionCount: $0.versionCount)
      }
      faults = report.faults
    }

    /// The report of a sound store.
    init(_ twin: TwinStore) {
      verified = twin.lists.map {
        Verified(list: $0.name, head: $0.state($0.head), versionCount: $0.kept.count)
      }
      faults = []
    }
  }

  func verify(_ store: ModelStore) async throws {
    let service = store.service
    try await compare("verify") {
      Report(try await service.verify(depth: .everything))
    } with: {
      Report(store.twin)
    }
  }

  func backUp(_ store: ModelStore, _ choices: inout ModelChoices) async throws {
    guard let file = store.file else { return }
    let path = store.newPath()
    let backup = try Backup(of: file, to: path)
    try await compare("back up") {
      Report(try await backup.run().verification)
    } with: {
      Report(store.twin)
    }
    if choices.chance(2) { try store.move(to: path) }
  }

  func vacuum(_ store: ModelStore) async throws {
    guard let file = store.file else { return }
    try await compare("vacuum makes no larger") {
      let bytes = try await file.vacuum()
      // The rows of the schema may be laid out in one page more.
      return bytes.byteCountAfter <= bytes.byteCountBefore + StoreFiles.pageByteCount
    } with: {
      true
    }
  }

  func size(_ store: ModelStore) async throws {
    let service = store.service
    for name in [nil] + ModelChoices.names {
      try await compare("size of \(text(name))") {
        let size = try await service.size(of: name)
        return [size.listCount, size.versionCount]
      } with: {
        let lists = try name.map { [try store.twin.list($0)] } ?? store.twin.lists
        return [lists.count, lists.map(\.kept.count).reduce(0, +)]
      }
    }
  }
}

extension TwinStore.Pruning {
  init(_ plan: RetentionPlan) {
    self.init(floor: plan.floor, removed: plan.removed, holdingTags: plan.holdingTags)
  }
}
