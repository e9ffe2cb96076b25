import ListChanges
import ListModel

/// A change of a new step, with the texts that it writes.
struct NewChange: Sendable {
  let row: ChangeRow
  /// The id, if the change introduces the item.
  let id: ItemID?
  /// The content, if the change writes it.
  let content: Content?
}

/// The changes of new steps, by item, the newest first.
struct StepRevisions: RevisionSource {
  private var rest: ArraySlice<NewChange>
  /// The first change of each step.
  private let starts: [Int64]
  /// The position of the first step in the new segment.
  private let firstStep: Int

  /// - Complexity: O(c log c) for c changes.
  init(_ changes: [NewChange], starts: [Int64], firstStep: Int) {
    func precedes(_ a: ChangeRow, _ b: ChangeRow) -> Bool {
      (a.item.rawValue, b.sequence) < (b.item.rawValue, a.sequence)
    }
    let isSorted = zip(changes, changes.dropFirst()).allSatisfy { precedes($0.row, $1.row) }
    rest = (isSorted ? changes : changes.sorted { precedes($0.row, $1.row) })[...]
    (self.starts, self.firstStep) = (starts, firstStep)
  }

  mutating func item(_ reader: ListReader) -> Int64? { rest.first?.row.item.sequence }

  mutating func id(_ reader: ListReader) -> [UInt8]? {
    guard let item = rest.first?.row.item else { return nil }
    let introduction = rest.prefix { $0.row.item == item }.last { $0.id != nil }
    return introduction?.id.map { Array($0.text.utf8) }
  }

  mutating func next(_ reader: ListReader) -> ItemRevision? {
    guard let change = rest.popFirst() else { return nil }
    let step = starts.partitioningIndex { $0 > change.row.sequence } - 1
    return (change.row.introducesItem ? nil : firstStep + step, change.content?.bytes)
  }
}
