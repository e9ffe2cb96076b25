import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport

/// A store of schema 1 with rows in every table, and its answers. Copies of it are upgraded.
final class UpgradeSource: Sendable {
  /// A store's answers about everything that an upgrade must keep.
  struct Answers: Equatable, Sendable {
    private let lists: StoreAnswers
    private let titles: [JSONPointer?]
    private let longLog: [VersionRecord]
    private let tokens: [TokenRecord]
    private let former: [RetiredList]
    private let importPosition: String?

    init(of service: SyncService) async throws {
      var (lists, titles): ([ListName: ListAnswers], [JSONPointer?]) = ([:], [])
      for list in try await service.lists() where list.name != UpgradeSource.long {
        lists[list.name] = try await ListAnswers(of: list, from: service)
        titles.append(try await service.titlePath(of: list.name))
      }
      (self.lists, self.titles) = (StoreAnswers(lists: lists), titles)
      let isLong = try await service.lists().contains { $0.name == UpgradeSource.long }
      longLog = try await isLong ? service.log(of: UpgradeSource.long) : []
      tokens = try await service.tokens()
      former = try await service.retiredLists()
      importPosition = try await service.importPosition(of: "source", in: .parks)
    }
  }

  private static let long = ListName("long")!

  private let folder: URL
  let answers: Answers

  /// - Parameter itemCount: of one list more, so that the upgrade takes some time.
  init(itemCount: Int = 0) async throws {
    let test = try TestStore()
    try await Self.fill(test.service, itemCount: itemCount)
    try await test.store.write { writer in
      guard let list = try writer.lockedList(.parks) else { return }
      try writer.setImportPosition("position", of: "source", in: list.key)
    }
    answers = try await Answers(of: test.service)
    folder = try TemporaryFolder.make()
    _ = try await test.store.copy(to: path) { _, _ in }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var path: String { folder.appendingPathComponent("test.db").path }

  private static func fill(_ service: SyncService, itemCount: Int) async throws {
    try await ServiceAct.makeHistory(service)
    for act in [ServiceAct.commit, .edit, .tag, .prune] { try await act.run(service) }
    if itemCount > 0 {
      let items = (0..<itemCount).map { "i\($0)" }
      _ = try await service.commit(.init(list: long, snapshot: .of(items)))
    }
    var request = CommitRequest(list: ListName("gone")!, snapshot: try .of("x"))
    request.titlePath = JSONPointer("/id")
    _ = try await service.commit(request)
    _ = try await service.rename(
      DepartureRequest(list: ListName("gone")!), to: ListName("titled")!)
    _ = try await service.makeToken(
      named: TokenName("reader")!, grants: [AccessGrant(.read, .all)])
  }

  /// Makes a copy.
  ///
  /// - Parameters:
  ///   - path: in a folder of its own.
  ///   - isBackup: whether it stays one file without a write-ahead log, as `backup` leaves it.
  func copy(to path: String, isBackup: Bool) throws {
    try FileManager.default.copyItem(atPath: self.path, toPath: path)
    if !isBackup { _ = try SQLiteStore(path: path, ifAbsent: .fail) }
  }
}
