import Foundation
import GRDB
import ListDocuments
import ListModel

extension EditQueue {
  /// The edits as rows of a table.
  ///
  /// - Returns: for each stage its number (1, and 2 for edits that follow sent ones), and the
  ///   columns `tries`, `base`, `mine` and `to_base`.
  package var rows: [[DatabaseValue]] {
    [first, second].compactMap(\.self).enumerated().map { stage, edits in
      [
        (stage + 1).databaseValue, (stage == 0 ? tryCount : 0).databaseValue,
        edits.base.document.databaseValue, Data(BareChanges(edits.mine).document).databaseValue,
        Data(BareChanges(edits.toBase).document).databaseValue,
      ]
    }
  }

  /// Reads rows, in the order of their stages.
  ///
  /// - Throws: when the rows are not edits over the copy, whose base must have its root.
  package init(rows: [Row], over copy: ListCopy) throws {
    guard let row = rows.first else {
      self = .empty
      return
    }
    let first = try PendingEdits(row, above: copy.list)
    guard let tryCount = row.value("tries", Int.self), (0..<Int.max / 2).contains(tryCount) else {
      throw UnreadableEdits()
    }
    guard rows.count > 1 else {
      self.init(first: first, tryCount: tryCount)
      return
    }
    let below = try copy.list.applying(first.merged().changes)
    let second = try PendingEdits(rows[1], above: below)
    self.init(first: first, tryCount: tryCount, second: second)
  }
}

extension PendingEdits {
  /// Reads edits of the list below them.
  fileprivate init(_ row: Row, above list: CopiedList) throws {
    guard let text = row.value("base", String.self),
      let base = ListState(unprovenDocument: text),
      let mine = row.value("mine", Data.self),
      let toBase = row.value("to_base", Data.self),
      let changes = BareChanges(document: Array(toBase), oldCount: list.count),
      let edits = BareChanges(document: Array(mine), oldCount: base.count)
    else { throw UnreadableEdits() }
    let way = try changes.completed(oldItem: list.item)
    let baseList = try list.applying(way)
    guard baseList.root == base.root else { throw UnreadableEdits() }
    self.init(base: base, mine: try edits.completed(oldItem: baseList.item), toBase: way)
  }
}

private struct UnreadableEdits: Error, CustomStringConvertible {
  var description: String { "its edits are not readable" }
}
