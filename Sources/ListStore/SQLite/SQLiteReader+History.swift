import GRDB
import ListModel
import RawSQLite

extension SQLiteReader {
  func history(
    of item: ItemKey, in list: ListRecord, receive: (ItemChange) throws -> Bool
  ) throws {
    let first = list.firstStep
    guard first <= list.head else { return }
    let firstChange = list.key.base | (try firstRow(of: first, in: list.key))
    // The introducing row and the later ones lie in two indexes; the later ones come first.
    let statement = try RawStatement(
      self,
      """
      SELECT \(ChangeRow.columns) FROM changes
      WHERE list_id = ? AND item = ? AND change_id >= ? ORDER BY change_id DESC
      """)
    statement.bind(list.key.rawValue, at: 1)
    statement.bind(item.sequence, at: 2)
    statement.bind(firstChange, at: 3)
    defer { statement.reset() }
    var newest = list.head
    while try statement.step() {
      let change = try itemChange(statement, in: list, from: first, to: newest)
      newest = change.version
      guard try receive(change) else { return }
    }
    guard item.rawValue >= firstChange else { return }
    let introduction = try RawStatement(
      self, "SELECT \(ChangeRow.columns) FROM changes WHERE change_id = ?")
    introduction.bind(item.rawValue, at: 1)
    defer { introduction.reset() }
    guard try introduction.step() else { return }
    _ = try receive(itemChange(introduction, in: list, from: first, to: newest))
  }

  private func itemChange(
    _ statement: RawStatement, in list: ListRecord, from first: Version, to last: Version
  ) throws -> ItemChange {
    let row = try ChangeRow(statement, of: list.key)
    let version = try version(
      ofChange: row.change & ListKey.largestSequence, in: list.key, from: first, to: last)
    return ItemChange(
      version: version, from: row.from, to: row.to, isMove: row.kind == .move,
      oldContent: row.oldContent, newContent: row.newContent)
  }

  /// The version that a row belongs to: the last one whose first row is not behind it.
  ///
  /// - Complexity: O(log v) rows read for v versions between the two.
  private func version(
    ofChange sequence: Int64, in list: ListKey, from first: Version, to last: Version
  ) throws -> Version {
    var (low, high) = (first.number, last.number)
    while low < high {
      let middle = (low + high + 1) / 2
      if try firstRow(of: Version(middle), in: list) <= sequence {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return Version(low)
  }
}
