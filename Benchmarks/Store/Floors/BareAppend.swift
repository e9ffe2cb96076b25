import ParkLists

/// Floor F1: items appended to a bare table by one prepared statement in one transaction,
/// write-ahead log, synchronous FULL.
struct BareAppend {
  /// Ids and contents, end to end, so that nothing but SQLite is measured.
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

  /// Appends everything to a new database; measured from BEGIN until COMMIT returns.
  func run(at path: String) throws -> Cost {
    let database = try BareDatabase(path: path)
    try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    try database.run("CREATE TABLE items (key INTEGER PRIMARY KEY, id TEXT, content TEXT)")
    let statement = try database.prepare("INSERT INTO items VALUES (?, ?, ?)")
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
