import Foundation
import GRDB
import ListChanges
import ListModel
import LocalFiles

/// A replica's copy in one SQLite file.
///
/// The list and the cursor are saved in one transaction, on the disk when it returns
/// (`synchronous=FULL`). Items have a row each, and their order stands in parts of up to 512 items,
/// so that a step of d changes writes O(d) rows. The file says which list of which server it holds;
/// its checksum is verified when it is opened.
///
/// Its tables, as any SQLite shell reads them:
///
///     replica   one row: source, list, cursor, count, checksum, and the parts in order
///     items     key, id, content (canonical JSON)
///     parts     part, keys: 8 bytes each, little-endian, in the order of the list
public actor ReplicaFile: ReplicaStorage {
  /// What is done about a file of this replica that does not hold what it must.
  public enum DamagePolicy: Sendable {
    /// It is left as it is, and opening fails.
    case fail
    /// It is emptied, and the replica begins with nothing.
    case startOver
  }

  public nonisolated let path: String
  private let source: ReplicaSource
  private let policy: DamagePolicy
  private var isLoaded = false
  /// Nil until there is a file.
  private var queue: DatabaseQueue?
  private var content = ReplicaFileContent()

  /// Does not touch the file yet: ``load()`` reads it, and ``save(_:)`` writes it.
  ///
  /// - Parameter path: of the file, which the first save makes where it is not there; its folder
  ///   must be. It is taken for a file's name, whatever SQLite would make of it.
  public init(path: String, source: ReplicaSource, ifDamaged policy: DamagePolicy = .fail) {
    self.path = path
    self.source = source
    self.policy = policy
  }

  public func load() async throws(ReplicaError) -> ListCopy {
    let opener = try ReplicaFileOpener(path)
    do {
      return try await open(opener)
    } catch ReplicaError.damagedFile where policy == .startOver {
      try opener.empty()
      return try await open(ReplicaFileOpener(path))
    }
  }

  private func open(_ opener: ReplicaFileOpener) async throws(ReplicaError) -> ListCopy {
    (isLoaded, queue, content) = (false, nil, ReplicaFileContent())
    guard opener.place.status != nil else {
      isLoaded = true
      return .empty
    }
    let queue = try opener.queue()
    let (path, source) = (path, source)
    let (loaded, copy) = try await attempt(opening: true) {
      try await queue.read { db in
        guard try ReplicaFileSchema.isReplica(db, path: path) else {
          return (ReplicaFileContent(), ListCopy.empty)
        }
        return try ReplicaFileContent.read(db, path: path, source: source)
      }
    }
    (isLoaded, self.queue, content) = (true, queue, loaded)
    return copy
  }

  public func save(_ step: ReplicaStep) async throws(ReplicaError) {
    guard isLoaded else { throw .notSaved(reason: "\(path) was not loaded") }
    // A file that is not there is made with the first list in it: nobody ever has to remove it.
    let queue = if let queue { queue } else { try ReplicaFileOpener(path).queue() }
    let (content, path, source) = (content, path, source)
    self.content = try await attempt(opening: false) {
      try await queue.write { db in
        try ReplicaFileSchema.createIfEmpty(db, source, path: path)
        return try content.saving(step, to: db)
      }
    }
    self.queue = queue
  }

  private func attempt<Result: Sendable>(
    opening: Bool, _ body: @Sendable () async throws -> Result
  ) async throws(ReplicaError) -> Result {
    do {
      return try await body()
    } catch let error as ReplicaError {
      throw error
    } catch let error as DatabaseError {
      throw opening
        ? ReplicaFileOpener.failure(error, at: path)
        : .notSaved(reason: "\(path): \(error.reason)", cause: error.obstacle)
    } catch {
      throw opening
        ? .cannotOpen(path: path, reason: "\(error)") : .notSaved(reason: "\(path): \(error)")
    }
  }
}

/// Which list of which server a copy is of.
public struct ReplicaSource: Hashable, Sendable, CustomStringConvertible {
  /// The server's address, without a slash at the end.
  public let server: String
  public let list: ListName

  public init(server: String, list: ListName) {
    self.server = server
    self.list = list
  }

  public var description: String { "\(list) at \(server)" }
}
