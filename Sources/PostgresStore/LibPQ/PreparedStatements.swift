import ListStore
import Synchronization

/// The statements that the server has parsed for one connection.
///
/// The name of a statement is a hash of its text and the types of its values. So a name stands for
/// the same statement in every session, even if a pooler gives the connection another session of
/// the server.
struct PreparedStatements {
  /// The state of preparation in a store: whether its connections prepare statements. A pooler in
  /// transaction mode may give each transaction another session, in which a statement is not
  /// prepared, or is prepared already. The first error of this kind ends preparation.
  final class Support: Sendable {
    private let isThere = Atomic(true)

    func end() { isThere.store(false, ordering: .relaxed) }
    fileprivate var exists: Bool { isThere.load(ordering: .relaxed) }
  }

  struct Statement {
    let name: String
    let isPrepared: Bool
    fileprivate let key: Key
  }

  fileprivate struct Key: Hashable {
    let sql: String
    /// The types of the values; 0 for null, whose type the server infers.
    let types: [UInt32]
  }

  let support: Support
  private var names: [Key: String] = [:]

  init(_ support: Support) { self.support = support }

  /// Returns a statement for a text and the types of its values; nil if statements are not
  /// prepared.
  func statement(_ sql: String, _ types: [UInt32]) -> Statement? {
    guard support.exists else { return nil }
    let key = Key(sql: sql, types: types)
    if let name = names[key] { return Statement(name: name, isPrepared: true, key: key) }
    return Statement(name: Self.name(of: key), isPrepared: false, key: key)
  }

  mutating func add(_ statement: Statement) { names[statement.key] = statement.name }
  mutating func remove(_ statement: Statement) { names[statement.key] = nil }

  private static func name(of key: Key) -> String {
    var hash = WordHash()
    for type in key.types { hash.add(UInt64(type)) }
    var sql = key.sql
    sql.withUTF8 { hash.add(UnsafeRawBufferPointer($0)) }
    return "listsync_" + String(hash.value, radix: 16)
  }
}
