/// The space of a store on the disk.
enum StoreSize {
  /// The bytes of the file once everything in the write-ahead log is in it.
  static func byteCount(of path: String) throws -> Int {
    let database = try BareDatabase(path: path)
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    return try database.number("PRAGMA page_count") * database.number("PRAGMA page_size")
  }

  /// The bytes of the tables and indexes that take the most, largest first.
  static func parts(of path: String, limit: Int = 6) throws -> [(name: String, byteCount: Int)] {
    let database = try BareDatabase(path: path)
    let statement = try database.prepare(
      "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT \(limit)")
    var parts: [(String, Int)] = []
    while try statement.step() {
      parts.append((String(decoding: statement.text(0), as: UTF8.self), statement.number(1)))
    }
    return parts
  }

  static func description(of path: String) throws -> String {
    try parts(of: path).map { "\($0.name) \(Figures.bytes($0.byteCount))" }.joined(separator: ", ")
  }
}
