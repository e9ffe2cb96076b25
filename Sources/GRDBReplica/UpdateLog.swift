import Foundation
import GRDB
import ListChanges
import ListModel

/// An update of an app's table: the changes from one revision of its rows to a later one.
public struct TableUpdate: Sendable {
  /// The revision of the rows after the update.
  public let revision: Int64
  /// The changes, with the indexes in the order of the places; nil if too many updates were missed,
  /// so that the rows must be read again.
  public let changes: ChangeSet<Item>?

  /// The changes for one `performBatchUpdates`.
  public var batchUpdates: BatchUpdates? { changes?.batchUpdates() }
}

/// The updates of an app's table. Each one is made when the loop asks for it, from all changes
/// since the last one, so a slow reader needs no memory.
public struct TableUpdates: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private let log: UpdateLog
  private var revision: Int64

  init(log: UpdateLog, revision: Int64) { (self.log, self.revision) = (log, revision) }

  public func makeAsyncIterator() -> TableUpdates { self }

  /// - Returns: nil when the task is cancelled.
  public mutating func next() async -> TableUpdate? {
    while !Task.isCancelled {
      let (news, end) = log.news()
      defer { end() }
      if let update = log.update(after: revision) {
        revision = update.revision
        return update
      }
      for await _ in news { break }
    }
    return nil
  }
}

/// The newest changes of the rows.
final class UpdateLog: @unchecked Sendable {
  private static let highestChangeCount = 1024

  private let lock = NSLock()
  private var revision: Int64 = 0
  private var entries: [(before: Int64, changes: ChangeSet<Item>)] = []
  /// The changes of the running transaction, each with the revision after it.
  private var noted: [(changes: ChangeSet<Item>, revision: Int64)] = []
  private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastWaiter = 0

  /// Begins again at a later revision, as after changes by another process.
  func begin(at revision: Int64) {
    let waiting: [AsyncStream<Void>.Continuation] = lock.withLock {
      guard revision > self.revision else { return [] }
      (self.revision, entries) = (revision, [])
      return Array(waiters.values)
    }
    for waiter in waiting { waiter.yield() }
  }

  /// Notes changes of a transaction, which are told when it is committed.
  ///
  /// - Parameters:
  ///   - revision: after the changes.
  ///   - present: reads the revision of the rows.
  func note(
    _ changes: ChangeSet<Item>, revision: Int64, in db: Database,
    present: @escaping @Sendable (Database) throws -> Int64
  ) {
    lock.withLock {
      // The app has rolled back the savepoints of these.
      noted.removeAll { $0.revision >= revision }
      noted.append((changes, revision))
    }
    db.afterNextTransaction { [self] db in
      let last = (try? present(db)) ?? 0
      for entry in takeNoted() where entry.revision <= last {
        append(entry.changes, revision: entry.revision)
      }
    } onRollback: { [self] _ in
      _ = takeNoted()
    }
  }

  private func takeNoted() -> [(changes: ChangeSet<Item>, revision: Int64)] {
    lock.withLock {
      defer { noted = [] }
      return noted
    }
  }

  /// - Parameter revision: after the changes.
  private func append(_ changes: ChangeSet<Item>, revision: Int64) {
    let waiting: [AsyncStream<Void>.Continuation] = lock.withLock {
      if revision != self.revision + 1 { entries = [] }
      entries.append((revision - 1, changes))
      self.revision = revision
      var count = entries.reduce(0) { $0 + $1.changes.count }
      while count > Self.highestChangeCount || entries.count > Self.highestChangeCount {
        count -= entries.removeFirst().changes.count
      }
      return Array(waiters.values)
    }
    for waiter in waiting { waiter.yield() }
  }

  /// The update from a revision to the newest one; nil if it is the newest.
  func update(after revision: Int64) -> TableUpdate? {
    lock.withLock {
      if revision == self.revision { return nil }
      let new = entries.drop { $0.before != revision }.map(\.changes)
      return TableUpdate(revision: self.revision, changes: ChangeSet.composing(new))
    }
  }

  /// Yields whenever there is an update.
  func news() -> (AsyncStream<Void>, end: @Sendable () -> Void) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = lock.withLock {
      lastWaiter += 1
      waiters[lastWaiter] = continuation
      return lastWaiter
    }
    return (
      stream,
      { [self] in
        lock.withLock { _ = waiters.removeValue(forKey: number) }
        continuation.finish()
      }
    )
  }
}
