import ListModel
import StoreTestSupport
import SyncService
import TestSupport

extension FaultAct {
  /// Applies versions of another store in one transaction.
  static let applying = FaultAct(
    name: "bundle apply",
    makeBase: { subject in
      _ = try await subject.service.commit(
        .init(list: ListName("films")!, snapshot: .of("x", "y")))
    },
    run: { subject in
      let source = try TestStore()
      var history = TestHistory(source)
      var random = SeededRandom(seed: 2)
      try await history.commit(history.newItems(12))
      for _ in 0..<4 { try await history.commitEdits(4, &random) }
      var export = try await source.service.export(ExportRequest(list: .parks))
      var parts: [BundleEvent] = []
      while case let batch = try await export.nextBatch(), !batch.isEmpty { parts += batch }
      let exported = Exported(whole: export.header, parts: parts)
      _ = try await subject.service.apply { exported }
    })

  private struct Exported: BundleSource {
    let whole: BundleHeader
    var parts: [BundleEvent]

    func header() -> BundleHeader { whole }

    mutating func next() -> BundleEvent? { parts.isEmpty ? nil : parts.removeFirst() }
  }

  /// Imports states of a source as versions, two in a transaction. A repeated import continues
  /// after the stored ones.
  static let importing = FaultAct(
    name: "import",
    makeBase: { subject in
      _ = try await subject.service.commit(
        .init(list: ListName("films")!, snapshot: .of("x", "y")))
    }, isOneTransaction: false,
    run: { subject in
      let service = try subject.service
      let position = try await service.importPosition(of: "source", in: .parks)
      var request = ImportRequest(list: .parks, source: "source", after: position)
      request.limits.stateCount = 2
      request.limits.duration = .seconds(3600)
      _ = try await service.importStates(
        request, from: States(number: position.flatMap { Int($0) }.map { $0 + 1 } ?? 0))
    })

  private struct States: ImportSource {
    var number: Int

    mutating func next() throws -> ImportedState? {
      guard number < 4 else { return nil }
      defer { number += 1 }
      let snapshot = try Snapshot.of((0...number).map { "s\($0)=\(number)" })
      return ImportedState(
        position: "\(number)", content: .version(snapshot, CommitNote(time: TestStore.noon)))
    }
  }
}
