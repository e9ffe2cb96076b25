import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import ListStore
import PostgresStore
import SQLiteStore
import SyncService

/// The store that is served.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file, or the address of a PostgreSQL database: postgresql://…",
      valueName: "file"),
    completion: .file())
  var path = "listsync.db"
  @Option(
    help: ArgumentHelp(
      "The schema of a PostgreSQL database that has the tables.", valueName: "name"))
  var schema = PostgresStore.standardSchema
  @Option(
    help: ArgumentHelp(
      "The address of a standby of the database, which answers what it can.",
      valueName: "address"))
  var readFrom: String?
  @Option(
    name: .customLong("wait"),
    help: ArgumentHelp(
      "How long a commit waits for another process's write. (default: 10)", valueName: "seconds"),
    transform: wholeNumber(in: 0...BusyWait.highestSeconds))
  var waitSeconds = BusyWait.standardSeconds

  @Option(
    name: .customLong("publish"),
    help: ArgumentHelp(
      "Write all lists as files into this folder, after each commit.", valueName: "folder"),
    completion: .directory)
  var publicationFolder: String?
  @Option(
    help: ArgumentHelp(
      """
      Sign answers and publications with this key of 'listsync key create'. With another one, that \
      key takes over.
      """,
      valueName: "file"),
    completion: .file())
  var signWith: [String] = []

  /// Signs heads; nil if there is no key.
  ///
  /// - Throws: `StartError.noKey`.
  func signer() throws -> HeadSigner? {
    let keys = try signWith.map { path in
      let text = try? String(contentsOfFile: path, encoding: .utf8)
      guard let key = text.flatMap({ SigningKey($0) }) else { throw StartError.noKey(path) }
      return key
    }
    return keys.isEmpty ? nil : HeadSigner(keys)
  }

  /// The store's full path, or its address without a password.
  var name: String {
    PostgresStore.isAddress(path)
      ? PostgresStore.withoutPassword(path) : URL(fileURLWithPath: path).path
  }

  /// - Throws: `StartError.standbyOfAFile`; the errors of opening a store.
  func service(_ limits: Limits) throws -> SyncService {
    // Not in `validate()`, which sees the settings one by one where they are not options.
    if readFrom != nil, !PostgresStore.isAddress(path) { throw StartError.standbyOfAFile(path) }
    // Only the server's user may read a new store; SQLite gives its WAL the same mode.
    let mask = umask(0o077)
    defer { umask(mask) }
    let wait = TimeInterval(waitSeconds)
    let store: any ListStore =
      if PostgresStore.isAddress(path) {
        try PostgresStore(
          address: path, schema: schema, createsMissing: true, busyTimeoutSeconds: wait)
      } else {
        try SQLiteStore(path: path, ifAbsent: .create, busyTimeoutSeconds: wait)
      }
    return SyncService(store: try reading(store), limits: limits) { Timestamp(Date()) }
  }

  /// The store, read from the standby if there is one.
  private func reading(_ store: any ListStore) throws -> any ListStore {
    guard let readFrom else { return store }
    let standby = try PostgresStore(address: readFrom, schema: schema, createsMissing: false)
    return StandbyStore(primary: store, standby: standby)
  }

  /// - Throws: `ValidationError` for a standby that is not a database, and for a name that no
  ///   schema or folder can have.
  func validate() throws {
    if publicationFolder == "" {
      throw ValidationError("--publish: the folder's name is empty.")
    }
    if let fault = PostgresStore.fault(ofSchema: schema) {
      throw ValidationError("--schema: \(fault).")
    }
    if let readFrom, !PostgresStore.isAddress(readFrom) {
      throw ValidationError("--read-from: write an address: postgresql://…")
    }
  }
}
