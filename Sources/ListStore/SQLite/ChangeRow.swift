import ListModel
import RawSQLite

/// The kinds of change rows, as numbered in the schema.
enum ChangeKind: Int64 {
  case update = 0
  case insert = 1
  case move = 2
  case remove = 3
}

/// A row of the log, with what its columns leave out for being known.
struct ChangeRow {
  let change: Int64
  let kind: ChangeKind
  let item: ItemKey
  let from: Int?
  let to: Int?
  let oldContent: ContentKey?
  let newContent: ContentKey?

  static let columns = """
    change_id, kind, item, old_index, new_index, old_content, new_content,
      \(DigestedTable.changes.isSound)
    """

  /// Reads `columns`, the first of the statement's.
  init(_ statement: RawStatement, of list: ListKey) throws {
    guard statement.integer(7) == 1 else { throw DigestedTable.changes.damage }
    change = statement.integer(0)
    guard let kind = ChangeKind(rawValue: statement.integer(1)) else {
      throw StoreError.corrupt(reason: "a change is of a kind that does not exist")
    }
    self.kind = kind
    let sequence = change & ListKey.largestSequence
    item = ItemKey(list, sequence: statement.optionalInteger(2) ?? sequence)
    to = statement.optionalInteger(4).map { Int($0) }
    from = statement.optionalInteger(3).map { Int($0) } ?? (kind == .update ? to : nil)
    oldContent = statement.optionalInteger(5).map { ContentKey(list, sequence: $0) }
    let own = kind == .remove ? nil : sequence
    newContent = (statement.optionalInteger(6) ?? own).map { ContentKey(list, sequence: $0) }
  }
}
