import ArgumentParser
import Foundation
import Hummingbird
import ListModel
import ListStore
import LocalFiles
import Logging
import PostgresStore
import Publishing
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
      The store is one file, or a schema of a PostgreSQL database. The server creates it if it \
      does not exist. 'listsync' may work on it at the same time. Any number of servers may serve \
      one database.

      Until 'listsync token create' makes a token, every client may read and write. So the server \
      refuses to listen on an address that other machines reach, unless --without-tokens allows it.

      The Host of a request must be an address of the server, localhost on this machine, or a name \
      given by --host-name.

      SIGTERM and SIGINT end the server: it finishes the requests in progress and closes \
      streams. SIGHUP makes it read its certificate and key again; it also does so within 5 \
      seconds after their files have changed. Open connections stay.

      To restore a backup: end the server, remove the store's -wal and -shm files, copy the backup \
      to the store's path, and start the server. If the file is replaced while the server runs, \
      the server refuses commits and ends with exit code 8. A supervisor can then start it on the \
      new file.

      The log is on standard error. Its first line has the version, store, address and number of \
      lists; its last line after a signal is 'stopped'.

      SETTINGS
        An option comes before the environment, the environment before the
        file, and the file before the default. --config FILE or
        $\(Setting.fileVariable) names the file, which holds a JSON object. Where
        an option may be repeated, the file has an array, and the variable
        commas. --without-tokens is true or false there.

      \(Setting.table)

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

  @Option(
    help: ArgumentHelp("Read settings from this file.", valueName: "file"), completion: .file())
  var config: String?
  @OptionGroup(title: "Store") var store: StoreOptions
  @OptionGroup(title: "Address") var address: AddressOptions
  @OptionGroup(title: "Bounds") var bounds: BoundOptions
  @OptionGroup(title: "Limits of commits") var limits: LimitOptions
  @OptionGroup(title: "Log") var log: LogOptions

  /// Reads the command line, and takes the settings that it lacks from the environment, then from
  /// the file.
  ///
  /// - Throws: `StartError.invalidSetting` also for a value that another source replaces.
  static func parse(_ arguments: [String], environment: [String: String]) throws -> Self {
    let first = try parse(arguments)
    for (name, address) in [("store", first.store.path), ("read-from", first.store.readFrom ?? "")]
    where Setting(name).isGiven(in: arguments) && PostgresStore.hasPassword(address) {
      throw StartError.invalidSetting(
        "--\(name)", place: "among the arguments", reason: PostgresStore.passwordAdvice)
    }
    let path = first.config ?? environment[Setting.fileVariable]
    var given = try path.map { try SettingSource.words(file: $0) } ?? [:]
    given.merge(try SettingSource.words(environment: environment)) { $1 }
    let added = Setting.all.filter { !$0.isGiven(in: arguments) }.flatMap { given[$0.name] ?? [] }
    return try parse(added + arguments)
  }

  func run() async throws {
    let logger = makeLogger()
    let wanted = bounds.connectionCount
    let limit = OpenFiles.raiseLimit(to: wanted + OpenFiles.ownCount)
    let connectionCount = try OpenFiles.connectionCount(wanted: wanted, limit: limit)
    let service = try store.service(limits.limits)
    let headCache = HeadCache(service: service)
    try await headCache.refresh()
    try address.check(hasTokens: !headCache.access.isEmpty)
    let settings = try settings()
    let certificate = try address.certificate()
    let server = SyncServer(
      service: service, headCache: headCache, settings: settings, logger: logger)
    let application = try await Listener(
      server: server, address: address, bounds: bounds, certificate: certificate,
      connectionCount: connectionCount, logger: logger
    ) { [name = store.name] address in
      logger.info(
        "started",
        metadata: [
          "version": "\(Build.version)", "store": "\(name)",
          "address": "\(address)", "lists": .stringConvertible(headCache.listCount),
        ])
      if connectionCount < wanted {
        logger.warning(
          "fewer connections than max-connections: the system's limit of open files is too low",
          metadata: [
            "connections": .stringConvertible(connectionCount),
            "limit": .stringConvertible(limit ?? 0),
          ])
      }
    }.application()
    let publisher = store.publicationFolder.map {
      Publisher(service, folder: $0, signer: settings.signer)
    }
    try await serve(headCache, publisher, certificate, application, logger)
    logger.info("stopped")
  }

  private func serve(
    _ headCache: HeadCache, _ publisher: Publisher?, _ certificate: ServerCertificate?,
    _ application: some Service, _ logger: Logger
  ) async throws {
    // A later SIGHUP ends nothing either, also while the server ends.
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    defer { withExtendedLifetime(hangups) {} }
    /// Work that the server does not depend on.
    func besides(
      _ work: @escaping @Sendable () async throws -> Void
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
      .init(
        service: WorkWhileServing(work: work), successTerminationBehavior: .ignore,
        failureTerminationBehavior: .ignore)
    }
    @Sendable func warn(_ message: Logger.Message, _ list: ListName, _ error: any Error) {
      logger.warning(message, metadata: ["list": "\(list)", "reason": "\(error)"])
    }
    var configuration = ServiceGroupConfiguration(
      services: [
        // A replaced store ends the server after the requests in progress.
        .init(
          service: WorkWhileServing { try await headCache.run() },
          failureTerminationBehavior: .gracefullyShutdownGroup),
        besides { try await headCache.compactLists { warn("a list was not compacted", $0, $1) } },
        besides {
          try await publisher?.publishLists(of: headCache) {
            warn("a list was not published", $0, $1)
          }
        },
        besides { await certificate?.readAgain(at: hangups, logger) },
        .init(service: application),
      ],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger.ofLibraries)
    configuration.maximumGracefulShutdownDuration = .seconds(bounds.shutdownSeconds)
    try await ServiceGroup(configuration: configuration).run()
  }

  private func settings() throws -> ServerSettings {
    var settings = ServerSettings()
    settings.limits = limits.limits
    settings.bodyByteLimit = bounds.bodyByteCount
    settings.heldBodyByteLimit = 8 * bounds.bodyByteCount
    settings.allowedOrigins = Set(address.allowedOrigins)
    settings.hostNames = Set(address.hostNames + [address.host])
    settings.signer = try store.signer()
    return settings
  }

  private func makeLogger() -> Logger {
    let format = log.format
    LoggingSystem.bootstrap { _ in QueuedLogHandler(lines: .errors, format: format) }
    LineQueue.errors.describeLoss { count in
      format.line(
        .warning, "lines were dropped here: the reader was too slow", ["lines": "\(count)"])
    }
    var logger = Logger(label: "listsyncd")
    logger.logLevel = log.level
    return logger
  }

  static func main() async {
    StandardStreams.secure()
    var format = LogFormat.text
    do {
      let command = try parse(
        Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
      format = command.log.format
      try await command.run()
      LineQueue.errors.finish(withinSeconds: 1)
    } catch {
      Foundation.exit(StartFailure.report(error, format: format))
    }
  }
}

/// Works until the server ends.
private struct WorkWhileServing: Service {
  let work: @Sendable () async throws -> Void

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      do {
        try await work()
      } catch is CancellationError {
        return
      }
    }
  }
}

extension ServerCertificate {
  /// Reads the certificate again at each SIGHUP, and when its files have changed.
  fileprivate func readAgain(at hangups: UnixSignalsSequence, _ logger: Logger) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in hangups { self.readAgain(isForced: true, logger) } }
      group.addTask {
        while (try? await Task.sleep(for: .seconds(5))) != nil {
          self.readAgain(isForced: false, logger)
        }
      }
    }
  }

  private func readAgain(isForced: Bool, _ logger: Logger) {
    do {
      if try readAgain(isForced: isForced) {
        logger.info("the certificate was read", metadata: ["file": "\(certificateFile)"])
      }
    } catch {
      logger.warning(
        "the certificate cannot be read again; the former one is used",
        metadata: ["reason": "\(StartFailure(error)?.message ?? "\(error)")"])
    }
  }
}
