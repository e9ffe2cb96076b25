import ParkLists

/// Floor F1: items appended to a bare table by one prepared statement in one transaction,
/// write-ahead log, synchronous FULL.
struct BareAppend {
  private let items: PackedItems

  init(_ list: ParkList) { items = PackedItems(list) }

  /// Appends everything to a new database; measured from BEGIN until COMMIT returns.
  func run(at path: String) throws -> Cost {
    let database = try BareDatabase(path: path)
    try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    try database.run("CREATE TABLE items (key INTEGER PRIMARY KEY, id TEXT, content TEXT)")
    return try items.insert(into: database, "INSERT INTO items VALUES (?, ?, ?)")
  }
}

/// Ids and contents, end to end, so that nothing but SQLite is measured.
struct PackedItems {
  private var bytes: [UInt8] = []
  private var idEnds: [Int] = []
  private var contentEnds: [Int] = []

  init(_ list: ParkList) {
    for park in list.parks {
      bytes.append(contentsOf: park.id.utf8)
      idEnds.append(bytes.count)
      list.contents.append(park, to: &bytes)
      contentEnds.append(bytes.count)
    }
  }

  /// Runs a statement for each item, with its number from 1, id and content, in one transaction.
  func insert(into database: BareDatabase, _ sql: String) throws -> Cost {
    let statement = try database.prepare(sql)
    return try Clock.measure {
      try database.run("BEGIN")
      try append(with: statement)
      try database.run("COMMIT")
    }.1
  }

  private func append(with statement: BareStatement) throws {
    try bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      for index in idEnds.indices {
        let (idEnd, end) = (idEnds[index], contentEnds[index])
        statement.bind(index + 1, at: 1)
        statement.bind(text: .init(rebasing: bytes[start..<idEnd]), at: 2)
        statement.bind(text: .init(rebasing: bytes[idEnd..<end]), at: 3)
        _ = try statement.step()
        statement.reset()
        start = end
      }
    }
  }
}
