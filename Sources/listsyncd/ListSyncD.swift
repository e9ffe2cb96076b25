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
      The store is one file: --store FILE, else $LISTSYNC_STORE, else ./listsync.db. The server \
      creates it if it does not exist. 'listsync' may work on it at the same time.

      Until 'listsync token create' makes a token, every client may read and write. So the server \
      refuses to listen on an address that other machines reach, unless --without-tokens allows it.

      The Host of a request must be an address of the server, localhost on this machine, or a name \
      given by --host-name.

      SIGTERM, SIGINT and SIGHUP end the server: it finishes the requests in progress and closes \
      streams.

      To restore a backup: end the server, remove the store's -wal and -shm files, copy the backup \
      to the store's path, and start the server. If the file is replaced while the server runs, \
      the server refuses commits and ends with exit code 8. A supervisor can then start it on the \
      new file.

      EXAMPLE
        listsyncd --store parks.db
        curl http://127.0.0.1:8080/v1/lists

        listsync token create app --read '*' --store parks.db
        listsyncd --store parks.db --host 0.0.0.0 --port 8443 \\
          --tls-certificate server.pem --tls-key server.key

      EXIT CODES
        0  ended by a signal     1  another failure     2  usage
        8  cannot listen, disk failure, or the store was replaced
      """,
    version: Build.version)

  @OptionGroup(title: "Store") var store: StoreOptions
  @OptionGroup(title: "Address") var address: AddressOptions
  @OptionGroup(title: "Bounds") var bounds: BoundOptions

  func run() async throws {
    let logger = makeLogger()
    let connectionCount = try connectionCount(logger)
    let service = try store.service()
    let board = HeadBoard(service: service)
    try await board.refresh()
    try address.check(hasTokens: !board.access.isEmpty)
    let server = SyncServer(
      service: service, board: board, settings: try settings(), logger: logger)
    let application = try Listener(
      server: server, address: address, bounds: bounds, connectionCount: connectionCount,
      logger: logger
    ).application()
    try await serve(board, application, logger)
  }

  private func serve(
    _ board: HeadBoard, _ application: some Service, _ logger: Logger
  ) async throws {
    var configuration = ServiceGroupConfiguration(
      services: [
        // A replaced store ends the server after the requests in progress.
        .init(
          service: BoardService(board: board),
          failureTerminationBehavior: .gracefullyShutdownGroup),
        .init(service: application),
      ],
      gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(bounds.shutdownSeconds)
    try await ServiceGroup(configuration: configuration).run()
  }

  /// How many connections may be open at once: the wanted number, or as many as the system allows.
  private func connectionCount(_ logger: Logger) throws -> Int {
    let wanted = bounds.connectionCount
    let limit = OpenFiles.raiseLimit(to: wanted + OpenFiles.ownCount)
    let count = try OpenFiles.connectionCount(wanted: wanted, limit: limit)
    if count < wanted {
      logger.warning(
        "fewer connections than --max-connections: the system's limit of open files is too low",
        metadata: ["connections": "\(count)", "limit": "\(limit ?? 0)"])
    }
    return count
  }

  private func settings() throws -> ServerSettings {
    var settings = ServerSettings()
    settings.limits = try StoreOptions.limits()
    settings.bodyByteLimit = bounds.bodyByteCount
    settings.heldBodyByteLimit = 8 * bounds.bodyByteCount
    settings.allowedOrigins = Set(address.allowedOrigins)
    settings.hostNames = Set(address.hostNames + [address.host])
    return settings
  }

  private func makeLogger() -> Logger {
    LoggingSystem.bootstrap { _ in QueuedLogHandler(lines: .errors) }
    var logger = Logger(label: "listsyncd")
    logger.logLevel = bounds.logLevel
    return logger
  }

  static func main() async {
    StandardDescriptors.prepare()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      LineQueue.errors.finish(withinSeconds: 1)
    } catch {
      Foundation.exit(StartFailure.report(error))
    }
  }
}

/// Keeps the board current while the server runs.
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
