import ArgumentParser
import Foundation
import Hummingbird
import HummingbirdCore
import ListModel
import ListStore
import Logging
import NIOCore
import SQLiteStore
import SyncServer
import SyncService

/// The server with a handler beside its routes that returns kept bytes: the floor that its own
/// answers are measured against, in the same process, over the same sockets, by the same router.
@main
struct ServerBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ServerBenchmarks",
    abstract: "Serves a store, and answers from memory beside it.",
    discussion: """
      PUT /memory/NAME keeps a body and its header fields (and X-Status), GET gives them back. \
      Benchmarks/Server/Load/rates.py starts it.
      """)

  @Option(help: "The store's file.") var store: String
  @Option(help: "The port to listen on.") var port: Int

  func run() async throws {
    var logger = Logger(label: "ServerBenchmarks")
    logger.logLevel = .warning
    let store = try SQLiteStore(path: store, ifAbsent: .create, busyTimeoutSeconds: 10)
    let service = SyncService(store: store) { Timestamp(Date()) }
    let headCache = HeadCache(service: service)
    try await headCache.refresh()
    let server = SyncServer(service: service, headCache: headCache, logger: logger)
    let memory = MemoryAnswers()
    let application = Application(
      responder: server.responder { router in memory.addRoutes(to: router) },
      server: ConnectionBounds().connections,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await headCache.run() }
      group.addTask { try await application.runService() }
      try await group.next()
      group.cancelAll()
    }
  }
}
