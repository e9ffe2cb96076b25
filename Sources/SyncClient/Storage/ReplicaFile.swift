import Foundation
import GRDB
import ListModel
import LocalFiles

/// A replica's copy in one SQLite file, with its items in memory, too.
///
/// List, cursor and edits are saved in one transaction, which is durable when it returns
/// (`synchronous=FULL`). A step of d changes writes O(d) rows. The file names its list and server.
/// It is verified when it is opened.
///
/// Its tables, as any SQLite shell reads them, are those of a list in an app's database
/// (`GRDBReplica`):
///
///     items             id, place, content (canonical JSON): the list with the pending edits, by
///                       `ORDER BY place`
///     listsync_copies   one row: source, list, cursor, count, root, the signed head
///     listsync_groups   hashes of groups of rows
///     listsync_edits    the pending edits
public actor ReplicaFile: RowStorage {
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
  /// What the file has; nil until it exists.
  private var state: CopyState?
  /// The items of its copy.
  private var items: [Item] = []

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

  public func load() async throws(ReplicaError) -> ListCopy { try await loadRows().inMemory }

  package func loadRows() async throws(ReplicaError) -> ListCopy {
    let opener = try ReplicaFileOpener(path)
    do {
      return try await open(opener)
    } catch ReplicaError.damagedFile where policy == .startOver {
      try opener.empty()
      return try await open(ReplicaFileOpener(path))
    }
  }

  private func open(_ opener: ReplicaFileOpener) async throws(ReplicaError) -> ListCopy {
    guard opener.place.status != nil else {
      (isLoaded, queue, state, items) = (true, nil, nil, [])
      return .empty
    }
    return try await read(opener.queue())
  }

  private func read(_ queue: DatabaseQueue) async throws(ReplicaError) -> ListCopy {
    let (path, source) = (path, source)
    do {
      let found = try await queue.read { db in
        guard try ReplicaFileSchema.isReplica(db, path: path) else {
          return nil as (CopyState, items: [Item])?
        }
        let (state, _, items) = try CopyState.verified(db, source, path: path)
        return (state.over(.reader(queue)), items)
      }
      (isLoaded, self.queue, state, items) = (true, queue, found?.0, found?.items ?? [])
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
        let (state, source, items) = try CopyState.verified(db, nil, path: path)
        return (source, state.copy.with(items).inMemory)
      }
    } catch {
      throw ReplicaError(opening: path, error)
    }
  }

  public func edits() -> EditQueue { state?.edits ?? .empty }

  private var copy: ListCopy { state?.copy.with(items) ?? .empty }

  package func reload() async throws -> (ListCopy, EditQueue) {
    // To open the file again and close it would end the locks of all connections of this process
    // (sqlite.org/howtocorrupt.html, 2.2).
    let copy = if let queue { try await read(queue) } else { try await loadRows() }
    return (copy, edits())
  }

  public func save(_ step: ReplicaStep?, _ edits: EditQueue?) async throws(ReplicaError) {
    do {
      _ = try await saveRows(step, edits)
    } catch let error as ReplicaError {
      throw error
    } catch {
      throw .notSaved(reason: "another program has written to the file", cause: .otherProgram)
    }
  }

  package func saveRows(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy {
    guard isLoaded else { throw ReplicaError.notSaved(reason: "\(path) was not loaded") }
    // The first save creates the file, so there is never a file without a list.
    let queue = if let queue { queue } else { try ReplicaFileOpener(path).queue() }
    let (path, source, state) = (path, source, state)
    let foundState = state?.copy.state ?? .zero
    if let step, step.before.state != foundState {
      throw ReplicaError.notSaved(
        reason:
          "the copy is at \(foundState.knownCursor.short), not at \(step.before.cursor.short)",
        cause: .otherProgram)
    }
    do {
      let edits = try edits ?? step.flatMap { try state?.edits.following($0) }
      self.state = try await CopyState.saving(step, edits, in: queue) { db in
        if let state { return state }
        try ReplicaFileSchema.createIfEmpty(db, source, path: path)
        let new = try CopyState.read(db, source, ItemTable(ofFile: path))
        guard new.rows.revision == 0 else { throw StaleRows() }
        return new
      }
    } catch let error as StaleRows {
      throw error
    } catch let error as DatabaseError {
      let isRolledBack = await Self.rollBack(queue)
      throw ReplicaError.notSaved(
        reason: "\(path): \(error.reason)", cause: isRolledBack ? error.obstacle : .unfinished)
    } catch let error as ReplicaError {
      throw ReplicaError(opening: path, error)
    } catch {
      throw ReplicaError.notSaved(reason: "\(path): \(error)")
    }
    self.queue = queue
    if let step { items = step.after.snapshot.items }
    return copy
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
