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

      Requests are answered that name, as their Host, an address of the server, localhost on this \
      machine, or a name given by --host-name.

      SIGTERM, SIGINT and SIGHUP end the server: requests that have begun are finished, streams are \
      closed.

      To restore a backup: end the server, remove the store's -wal and -shm files, copy the backup to \
      the store's path, and start the server. Where the file is replaced while the server runs, it \
      takes no more commits and ends with exit code 8, so that whoever keeps it running starts it on \
      the new file.

      EXAMPLE
        listsyncd --store parks.db
        curl http://127.0.0.1:8080/v1/lists

        listsync token create app --read '*' --store parks.db
        listsyncd --store parks.db --host 0.0.0.0 --port 8443 \\
          --tls-certificate server.pem --tls-key server.key

      EXIT CODES
        0  ended by a signal     2  usage     8  cannot listen, disk, or the store was replaced
        1  another failure
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
        // A store that was replaced ends the server, and what has begun is finished first.
        .init(
          service: BoardService(board: board),
          failureTerminationBehavior: .gracefullyShutdownGroup),
        .init(service: application),
      ],
      gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(bounds.shutdownSeconds)
    try await ServiceGroup(configuration: configuration).run()
  }

  /// How many connections are open at once: as many as are wanted, or as the system allows.
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
    var settings = ServerSettings(limits: try StoreOptions.limits())
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
