import ListStore
import Synchronization

/// The statements that the server has parsed for one connection.
///
/// Their names are made of their texts, so that one name never means two statements, even if a
/// pooler gives the connection another session of the server.
struct PreparedStatements {
  /// Whether connections of a store prepare statements. A pooler in transaction mode may give each
  /// transaction another session, which has not prepared them, or has prepared them before. The
  /// first error of this kind ends it.
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
    /// A value of null has the type that the server finds.
    let types: [UInt32]
  }

  let support: Support
  private var names: [Key: String] = [:]

  init(_ support: Support) { self.support = support }

  /// - Returns: nil if statements are not prepared.
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
