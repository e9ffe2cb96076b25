import ListModel
import ListStore
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService

/// An act on a database while its connections are cut. Running it twice has the effect of running
/// it once.
struct CutAct: Sendable {
  let name: String
  /// Whether there is a store before the act.
  var hasStore = true
  /// Whether the store can find out, after a lost answer, what became of the act.
  let isResolved: Bool
  /// Opens the store before anything is cut.
  var setUp: @Sendable (CutSubject) throws -> Void = { _ = try $0.service }
  let run: @Sendable (CutSubject) async throws -> Void

  static let all = ServiceAct.all.map(onDatabase) + [creation, opening, reading]

  private static func onDatabase(_ act: ServiceAct) -> CutAct {
    CutAct(name: act.name, isResolved: act.makesVersion) { try await act.run($0.service) }
  }

  private static let creation = CutAct(
    name: "creation", hasStore: false, isResolved: false, setUp: { _ in },
    run: { _ = try $0.opened(createsMissing: true) })

  private static let opening = CutAct(
    name: "opening", isResolved: true, setUp: { _ in },
    run: { _ = try $0.opened(createsMissing: false) })

  private static let reading = CutAct(
    name: "reading", isResolved: true,
    run: { subject in
      for list in try await subject.service.lists() {
        _ = try await subject.service.snapshot(of: list.name)
        _ = try await subject.service.log(of: list.name)
        _ = try await subject.service.delta(of: list.name, since: .version(.zero))
      }
    })
}

/// A store that is used over one port of a server.
final class CutSubject {
  private let server: PostgresServer
  private let database: String
  private let port: Int
  private var kept: SyncService?

  init(_ server: PostgresServer, database: String, port: Int = PostgresServer.port) {
    (self.server, self.database, self.port) = (server, database, port)
  }

  /// The store, opened on first use.
  var service: SyncService {
    get throws { try kept ?? opened(createsMissing: false) }
  }

  func opened(createsMissing isCreated: Bool) throws -> SyncService {
    let store = try PostgresStore(
      address: server.address(database: database, port: port), createsMissing: isCreated)
    let service = SyncService(store: store) { TestStore.noon }
    kept = service
    return service
  }
}
