import ArgumentParser
import Foundation
import ListModel
import ListStore
import LocalFiles
import PostgresStore
import SQLiteStore
import SyncService
import Synchronization

/// The store of a verb.
struct StoreArguments: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: .file(
      """
      The store's file, or the address of a PostgreSQL database: postgresql://… (default: \
      $LISTSYNC_STORE, else ./listsync.db).
      """),
    completion: .file())
  var given: String?
  @Option(
    help: ArgumentHelp(
      "The schema of a PostgreSQL database that has the tables (default: listsync).",
      valueName: "name"))
  var schema: String?

  init() {}

  /// A store that other options of a verb name, such as --from.
  init(_ store: String, schema: String?) { (given, self.schema) = (store, schema) }

  /// How a verb uses the store. Only `creating` makes a store that does not exist.
  enum Access {
    case reading, writing, creating
  }

  /// The last store that was opened, for errors; nil before.
  private static let opened = Mutex<(path: String, schema: String?)?>(nil)
  /// Counts the openings of a task, for tests.
  @TaskLocal static var openings: OpeningCounter?

  final class OpeningCounter: Sendable {
    let count = Mutex(0)
  }

  var path: String { given ?? Self.standardPath }

  static var standardPath: String {
    // As usual, an empty variable counts as not set.
    let named = Settings.environment["LISTSYNC_STORE"] ?? ""
    return named.isEmpty ? "listsync.db" : named
  }

  func validate() throws { try validate(as: "--store", schema: "--schema") }

  /// - Parameters:
  ///   - option: the name of the option that gave the store.
  ///   - schemaOption: the name of the option that gave the schema.
  func validate(as option: String, schema schemaOption: String) throws {
    if given == "" { throw ValidationError("\(option): the file's name is empty.") }
    if let given, PostgresStore.hasPassword(given) {
      throw ValidationError("\(option): \(PostgresStore.passwordAdvice).")
    }
    if let fault = schema.flatMap(PostgresStore.fault(ofSchema:)) {
      throw ValidationError("\(schemaOption): \(fault).")
    }
    if schema != nil, !PostgresStore.isAddress(path) {
      throw ValidationError("\(schemaOption): only a PostgreSQL database has schemas.")
    }
  }

  /// Whether both name the same file, by any path or link, or the same schema of the same address.
  func isSame(as other: StoreArguments) -> Bool {
    if PostgresStore.isAddress(path) || PostgresStore.isAddress(other.path) {
      let standard = PostgresStore.standardSchema
      return path == other.path && (schema ?? standard) == (other.schema ?? standard)
    }
    if path == other.path { return true }
    guard let file = FileStatus(path: path), let other = FileStatus(path: other.path) else {
      return false
    }
    return file.identity == other.identity
  }

  /// - Throws: `StoreError.notFound` when there is no store and the access does not create one.
  func store(for access: Access) throws -> any ListStore {
    guard PostgresStore.isAddress(path) else { return try file(for: access) }
    let wait = try opening()
    return try PostgresStore(
      address: path, schema: schema ?? PostgresStore.standardSchema,
      createsMissing: access == .creating, busyTimeoutSeconds: wait)
  }

  /// Records an opening.
  ///
  /// - Returns: how long to wait for another process that writes.
  private func opening() throws -> TimeInterval {
    let (path, schema) = (path, schema)
    Self.opened.withLock { $0 = (path, schema) }
    Self.openings?.count.withLock { $0 += 1 }
    return TimeInterval(try Self.waitSeconds())
  }

  /// The store of a verb that works on its file.
  ///
  /// - Throws: as ``store(for:)``; `VerbError.noFile` for a store at a server.
  func file(for access: Access) throws -> SQLiteStore {
    if PostgresStore.isAddress(path) { throw VerbError.noFile }
    let isOpenedAgain = Self.opened.withLock { $0?.path == path }
    let wait = try opening()
    guard access == .reading else {
      return try SQLiteStore(
        path: path, ifAbsent: access == .creating ? .create : .fail, hasOneConnection: true,
        busyTimeoutSeconds: wait)
    }
    let store = try SQLiteStore(readingFrom: path, busyTimeoutSeconds: wait)
    if store.isReadWithoutLocks, !isOpenedAgain {
      Output.diagnostic("\(path): read without locks, since this user cannot write there")
    }
    return store
  }

  /// The path or address of the last store that was opened, without a password; nil before.
  static var openedName: String? { opened.withLock { $0?.path }.map(PostgresStore.withoutPassword) }

  /// Opens the last store again, for reading; nil before one was opened.
  static func openedAgain() throws -> (any ListStore)? {
    try opened.withLock { $0 }.map {
      try StoreArguments($0.path, schema: $0.schema).store(for: .reading)
    }
  }

  static func waitSeconds() throws -> Int {
    try BusyWait.seconds(environment: Settings.environment)
  }

  func service(for access: Access = .reading) throws -> SyncService {
    try service(on: store(for: access))
  }

  func service(on store: any ListStore) throws -> SyncService {
    SyncService(store: store, limits: try Settings.limits()) {
      Timestamp(Date())
    }
  }
}

/// The store of a verb that may have to create it. It is opened once, when it is first used.
final class StoreSession {
  private let options: StoreArguments
  private let access: StoreArguments.Access
  private var service: SyncService?
  private var isAbsent = false

  init(_ options: StoreArguments, for access: StoreArguments.Access) {
    (self.options, self.access) = (options, access)
  }

  /// The service on the store; nil if the store does not exist, or its creation was interrupted.
  func serviceIfThere() throws -> SyncService? {
    if service != nil || isAbsent { return service }
    do {
      service = try options.service(for: access)
    } catch StoreError.notFound {
      isAbsent = true
    }
    return service
  }

  /// The service on the store, which is created if it does not exist.
  func serviceOrNew() throws -> SyncService {
    if let service = try serviceIfThere() { return service }
    let created = try options.service(for: .creating)
    service = created
    return created
  }
}
