import ArgumentParser
import Foundation
import Hummingbird
import ListModel
import ListStore
import Logging
import SyncServer
import SyncService

@main struct Listsyncd: AsyncParsableCommand {
  @Option var store: String = "listsync.db"
  @Option var host: String = "127.0.0.1"
  @Option var port: Int = 8080

  func run() async throws {
    let store = try SQLiteStore(path: store, ifAbsent: .create, busyTimeoutSeconds: 10)
    let service = SyncService(store: store) { Timestamp(Date()) }
    let board = HeadBoard(service: service)
    try await board.refresh()
    let logger = Logger(label: "listsyncd")
    let server = SyncServer(service: service, board: board, logger: logger)
    let app = Application(
      responder: server.responder(),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)), logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await board.run() }
      group.addTask { try await app.runService() }
      try await group.next()
      group.cancelAll()
    }
  }
}
