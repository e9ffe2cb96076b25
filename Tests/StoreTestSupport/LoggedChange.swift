import ListModel
import SyncService

@testable import ListStore

/// A change in the log of a list, with the texts that it writes. Tests change it to make damage
/// that looks as if it was written so.
package struct LoggedChange: Sendable {
  package let number: Int64
  package var kind: ChangeKind
  package var item: Int64
  package var from: Int?
  package var to: Int?
  package var oldContent: Int64?
  package var newContent: Int64?
  /// The id of the item; nil if this change does not introduce it.
  package var id: String?
  /// The content; nil if this change writes none.
  package var text: String?

  fileprivate init(_ row: ChangeRow) {
    (number, kind, item) = (row.sequence, row.kind, row.item.sequence)
    (from, to) = (row.from, row.to)
    (oldContent, newContent) = (row.oldContent?.sequence, row.newContent?.sequence)
  }

  fileprivate func row(of list: ListKey) -> ChangeRow {
    ChangeRow(
      list: list, sequence: number, kind: kind, item: ItemKey(list, sequence: item), from: from,
      to: to, oldContent: oldContent.map { ContentKey(list, sequence: $0) },
      newContent: newContent.map { ContentKey(list, sequence: $0) })
  }
}

extension ListReader {
  /// The changes of a list that was not pruned.
  package func loggedChanges(of name: ListName) throws -> [LoggedChange] {
    guard let list = try list(name)?.key else { return [] }
    var changes: [LoggedChange] = []
    var wanted: [WantedText] = []
    try changeRows(1..<row(of: list).nextChange, of: list) { row in
      // Even positions are those of ids, odd ones those of contents.
      let position = 2 * changes.count
      if row.introducesItem || row.writesContent {
        wanted.append(
          WantedText(
            item: row.item.sequence, content: row.writesContent ? row.sequence : nil,
            idPosition: row.introducesItem ? position : nil,
            contentPosition: row.writesContent ? position + 1 : nil))
      }
      changes.append(LoggedChange(row))
    }
    try texts(wanted, of: list) { position, bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if position % 2 == 0 {
        changes[position / 2].id = text
      } else {
        changes[position / 2].text = text
      }
    }
    return changes
  }
}

extension ListStore {
  /// Writes the log of a list again, after each of its changes was passed to a function.
  ///
  /// - Parameter stepCount: the number of steps of each segment; nil to make one segment.
  package func rewriteLog(
    of name: ListName = .parks, stepsPerSegment stepCount: Int? = nil,
    _ body: @Sendable (inout LoggedChange) -> Void = { _ in }
  ) async throws {
    try await write { writer in
      guard let list = try writer.lockedList(name)?.key else { throw ServiceError.noSuchList(name) }
      var changes = try writer.loggedChanges(of: name)
      for index in changes.indices { body(&changes[index]) }
      let old = try writer.segments(of: list)
      let starts = try old.flatMap { try writer.starts(of: $0, in: list) }
      var replaced = old
      for first in stride(from: 0, to: starts.count, by: stepCount ?? starts.count) {
        let own = starts[first...].prefix(stepCount ?? starts.count)
        let end = own.endIndex < starts.endIndex ? starts[own.endIndex] : Int64(changes.count + 1)
        let (new, blocks) = try segment(
          of: changes.filter { (own[first]..<end).contains($0.number) }, Array(own), in: list)
        try writer.store(blocks, of: list)
        try writer.replace(replaced, with: new, of: list)
        replaced = []
      }
    }
  }

  private func segment(
    of changes: [LoggedChange], _ starts: [Int64], in list: ListKey
  ) throws -> (Segment, [StoredBlock]) {
    var writer = try SegmentWriter(
      of: starts[0]..<starts[0] + Int64(changes.count), starts: starts, firstStep: starts[0])
    let items = Dictionary(grouping: changes, by: \.item).sorted { $0.key < $1.key }
    for (item, own) in items {
      try writer.begin(item, id: own.lazy.compactMap(\.id).first.map { Array($0.utf8) })
      for change in own.reversed() {
        let step = starts.lastIndex { $0 <= change.number }
        let text = change.text.map { Array($0.utf8) }
        try writer.add((change.number == item ? nil : step, text))
      }
      writer.endItem()
    }
    for change in changes { try writer.add(change.row(of: list)) }
    let segment = try writer.finish()
    return (segment, writer.takeFinished())
  }
}
