import ArgumentParser
import Foundation
import Hummingbird
import ListModel
import ListStore
import Logging
import ServiceLifecycle
import SyncServer
import SyncService
import UnixSignals

@main
struct ListSyncD: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listsyncd",
    abstract: "Serves the lists of a store over HTTP.",
    discussion: """
      The store is one file: --store FILE, else $LISTSYNC_STORE, else ./listsync.db; it is made where \
      it is not there. 'listsync' may work on it at the same time.

      Where 'listsync token create' never made a token, everybody who reaches the server may read and \
      write; so an address that other machines reach is refused without one, unless --without-tokens \
      says that this is meant.

      SIGTERM and SIGINT end the server: requests that have begun are finished, streams are closed.

      EXAMPLE
        listsyncd --store parks.db
        curl http://127.0.0.1:8080/v1/lists

        listsync token create app --read '*' --store parks.db
        listsyncd --store parks.db --host 0.0.0.0 --port 8443 \\
          --tls-certificate server.pem --tls-key server.key

      EXIT CODES
        0  ended by a signal     2  usage     8  cannot listen, or disk     1  another failure
      """,
    version: Build.version)

  @OptionGroup(title: "Store") var store: StoreOptions
  @OptionGroup(title: "Address") var address: AddressOptions
  @OptionGroup(title: "Bounds") var bounds: BoundOptions

  func run() async throws {
    let logger = makeLogger()
    let service = try store.service()
    let board = HeadBoard(service: service)
    try await board.refresh()
    try address.check(hasTokens: !board.access.isEmpty)
    let server = SyncServer(
      service: service, board: board, settings: try settings(), logger: logger)
    OpenFiles.raiseLimit()
    let application = try Listener(server: server, address: address, bounds: bounds, logger: logger)
      .application()
    var configuration = ServiceGroupConfiguration(
      services: [BoardService(board: board), application],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(bounds.shutdownSeconds)
    try await ServiceGroup(configuration: configuration).run()
  }

  private func settings() throws -> ServerSettings {
    var settings = ServerSettings(limits: try StoreOptions.limits())
    settings.bodyByteLimit = bounds.bodyByteCount
    settings.allowedOrigins = Set(address.allowedOrigins)
    return settings
  }

  private func makeLogger() -> Logger {
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "listsyncd")
    logger.logLevel = bounds.logLevel
    return logger
  }

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      Foundation.exit(StartFailure.report(error))
    }
  }
}

/// Keeps the board true for as long as the server runs.
private struct BoardService: Service {
  let board: HeadBoard

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      do {
        try await board.run()
      } catch is CancellationError {
        return
      }
    }
  }
}
