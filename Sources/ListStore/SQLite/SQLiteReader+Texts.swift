import GRDB
import ListModel

/// Keys become text here, and only here.
extension SQLiteReader {
  func ids(of keys: [ItemKey]) throws -> [ItemID] {
    try texts(of: keys.map(\.rawValue), column: "id", what: "item").map {
      ItemID(String(decoding: $0, as: UTF8.self))
    }
  }

  func contents(of keys: [ContentKey]) throws -> [Content] {
    try texts(of: keys.map(\.rawValue), column: "content", what: "content").map {
      Content(canonicalBytes: $0)
    }
  }

  /// Looks rows up in the order of the log, whatever order the keys come in: neighbours share
  /// pages.
  private func texts(of keys: [Int64], column: String, what: String) throws -> [[UInt8]] {
    let statement = try RawStatement(self, "SELECT \(column) FROM changes WHERE change_id = ?")
    defer { statement.reset() }
    var texts: [[UInt8]] = Array(repeating: [], count: keys.count)
    for position in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
      statement.reset()
      statement.bind(keys[position], at: 1)
      guard try statement.step(), !statement.isNull(0) else {
        throw StoreError.corrupt(reason: "change \(keys[position]) names no \(what)")
      }
      texts[position] = statement.bytes(0)
    }
    return texts
  }
}
