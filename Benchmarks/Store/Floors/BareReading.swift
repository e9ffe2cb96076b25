import ListChanges
import ListModel
import SyncService

/// The floor of deltas: the changes of a range of versions, each with its item's id and its old and
/// new content, which are what a delta holds, as rows of a bare table. One prepared statement reads
/// them; texts are copied out.
struct BareReading {
  private let statement: BareStatement

  /// Copies the steps of the list in a store into a new database.
  init(path: String, from service: SyncService, versionCount: Int) async throws {
    let database = try BareDatabase(path: path)
    // As much as the store's own connections keep in memory.
    try database.run("PRAGMA cache_size = -32768; PRAGMA synchronous = OFF")
    try database.run(
      """
      CREATE TABLE changes (
        key INTEGER PRIMARY KEY, version INTEGER, old_index INTEGER, new_index INTEGER,
        id TEXT, old_content TEXT, new_content TEXT);
      CREATE INDEX changes_by_version ON changes (version);
      BEGIN
      """)
    let insertion = try database.prepare(
      """
      INSERT INTO changes (version, old_index, new_index, id, old_content, new_content)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    for version in stride(from: 2, through: versionCount, by: 1) {
      let changes = try await service.delta(
        of: ParkStore.list, since: .version(Version(version - 1)), to: .version(Version(version))
      ).changes
      for row in Self.rows(changes) { try row.insert(into: version, insertion) }
    }
    try database.run("COMMIT")
    statement = try database.prepare(
      """
      SELECT old_index, new_index, version, id, old_content, new_content
      FROM changes WHERE version > ? AND version <= ?
      """)
  }

  private static func rows(_ changes: ChangeSet<Item>) -> [BareChange] {
    changes.removed.map { BareChange(from: $0.from, id: $0.element.id, old: $0.element.content) }
      + changes.moved.map { BareChange(from: $0.from, to: $0.to, id: $0.id) }
      + changes.inserted.map { BareChange(to: $0.to, id: $0.element.id, new: $0.element.content) }
      + changes.updated.map {
        BareChange(
          from: $0.from, to: $0.to, id: $0.new.id, old: $0.old.content, new: $0.new.content)
      }
  }

  /// Reads the changes after one version, up to another, and returns their number.
  func run(since start: Int, to end: Int) throws -> Int {
    var (rowCount, byteCount, sum) = (0, 0, 0)
    statement.bind(start, at: 1)
    statement.bind(end, at: 2)
    while try statement.step() {
      rowCount += 1
      sum &+= statement.number(0) &+ statement.number(1) &+ statement.number(2)
      for column: Int32 in 3...5 { byteCount += statement.text(column).count }
    }
    statement.reset()
    precondition(byteCount > 0 && sum != 0, "a range of versions has rows")
    return rowCount
  }
}

private struct BareChange {
  var (from, to) = (0, 0)
  let id: ItemID?
  var (old, new): (Content?, Content?)

  init(from: Int = 0, to: Int = 0, id: ItemID?, old: Content? = nil, new: Content? = nil) {
    (self.from, self.to, self.id, self.old, self.new) = (from, to, id, old, new)
  }

  func insert(into version: Int, _ statement: BareStatement) throws {
    for (number, position) in zip([version, from, to], Int32(1)...) {
      statement.bind(number, at: position)
    }
    // The bytes of all texts stay until the statement is reset.
    try Array((id?.text ?? "").utf8).withUnsafeBufferPointer { id in
      try (old?.bytes ?? []).withUnsafeBufferPointer { old in
        try (new?.bytes ?? []).withUnsafeBufferPointer { new in
          for (text, position) in zip([id, old, new], Int32(4)...) {
            statement.bind(text: text, at: position)
          }
          _ = try statement.step()
          statement.reset()
        }
      }
    }
  }
}
