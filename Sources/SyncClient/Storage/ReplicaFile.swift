import Foundation
import GRDB
import ListModel
import LocalFiles

/// A replica's copy in one SQLite file.
///
/// List, cursor and edits are saved in one transaction, which is durable when it returns
/// (`synchronous=FULL`). Each item has a row, and their order is stored in groups of up to 512
/// items, so that a step of d changes writes O(d) rows. The file names its list and server. Its
/// root is verified when it is opened.
///
/// Its tables, as any SQLite shell reads them:
///
///     replica   one row: source, list, cursor, count, root, the parts in order, the signed head
///     items     key, id, content (canonical JSON)
///     parts     part, keys: 8 bytes each, little-endian, in the order of the list
///     edits     stage, is_sent, base, mine, to_base: changes as in delta documents
public actor ReplicaFile: ReplicaStorage {
  /// The treatment of a damaged file of this replica.
  public enum DamagePolicy: Sendable {
    /// Opening fails, and the file is unchanged.
    case fail
    /// The file is emptied, and the replica begins with nothing.
    case startOver
  }

  public nonisolated let path: String
  private let source: ReplicaSource
  private let policy: DamagePolicy
  private var isLoaded = false
  /// The connection to the file; nil until the file exists.
  private var queue: DatabaseQueue?
  private var content = ReplicaFileContent()

  /// Makes a storage. Does not open the file: ``load()`` reads it, and ``save(_:_:)`` writes it.
  ///
  /// - Parameters:
  ///   - path: a file name, never a URI or another special name of SQLite. The first save creates
  ///     the file, but not its folder.
  ///   - source: the list and server; a file of another source is refused.
  ///   - policy: what to do if the file is damaged.
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
    do {
      let (loaded, copy) = try await queue.read { db in
        guard try ReplicaFileSchema.isReplica(db, path: path) else {
          return (ReplicaFileContent(), ListCopy.empty)
        }
        let (content, _, copy) = try ReplicaFileContent.read(db, path: path, source: source)
        return (content, copy)
      }
      (isLoaded, self.queue, content) = (true, queue, loaded)
      return copy
    } catch {
      throw ReplicaError(opening: path, error)
    }
  }

  /// Reads the copy of any list and server.
  ///
  /// It does not change the file, with one exception: like every opening, it rolls back a save that
  /// was interrupted, for example by the end of its process.
  ///
  /// - Parameter path: as in ``init(path:source:ifDamaged:)``.
  /// - Throws: one of the errors of `ReplicaError` listed under "When a file is opened";
  ///   `.cannotOpen` also when there is no file, and `.foreignFile` when it is empty.
  public static func read(
    _ path: String
  ) async throws(ReplicaError) -> (source: ReplicaSource, copy: ListCopy) {
    let opener = try ReplicaFileOpener(path)
    guard opener.place.status != nil else {
      throw .cannotOpen(path: path, reason: "there is no such file")
    }
    let queue = try opener.queue(isReadOnly: true)
    do {
      return try await queue.read { db in
        guard try ReplicaFileSchema.isReplica(db, path: path) else {
          throw ReplicaError.foreignFile(path: path)
        }
        let (_, source, copy) = try ReplicaFileContent.read(db, path: path, source: nil)
        return (source, copy)
      }
    } catch {
      throw ReplicaError(opening: path, error)
    }
  }

  public func edits() -> EditQueue { content.edits }

  public func save(_ step: ReplicaStep?, _ edits: EditQueue?) async throws(ReplicaError) {
    guard isLoaded else { throw .notSaved(reason: "\(path) was not loaded") }
    // The first save creates the file, so there is never a file without a list.
    let queue = if let queue { queue } else { try ReplicaFileOpener(path).queue() }
    let (content, path, source) = (content, path, source)
    do {
      self.content = try await queue.write { db in
        try ReplicaFileSchema.createIfEmpty(db, source, path: path)
        return try content.saving(step, edits, to: db)
      }
    } catch let error as ReplicaError {
      throw error
    } catch let error as DatabaseError {
      let isRolledBack = await Self.rollBack(queue)
      throw .notSaved(
        reason: "\(path): \(error.reason)", cause: isRolledBack ? error.obstacle : .unfinished)
    } catch {
      throw .notSaved(reason: "\(path): \(error)")
    }
    self.queue = queue
  }

  /// Restores the file after a failed write, which SQLite leaves to the next reader: the file may
  /// have pages of the failed save, and its journal the pages before (sqlite.org/lockingv3.html,
  /// 4.0). A program that only reads could not restore it.
  ///
  /// - Returns: whether the file has its former content, or belongs to another program by now.
  private static func rollBack(_ queue: DatabaseQueue) async -> Bool {
    do {
      _ = try await queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
      return true
    } catch {
      return (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
    }
  }
}

/// The list and server of a copy.
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
