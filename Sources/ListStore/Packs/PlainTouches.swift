import ListChanges

/// The plain rows that a packing takes.
struct PlainRows {
  /// A row that introduces no item.
  struct Change {
    let item: Int64
    let sequence: Int64
    /// The number of bytes of its text; nil if it wrote none.
    let byteCount: Int?
  }

  /// The number of bytes that a row takes besides its texts, about.
  static let rowByteCount = 64
  /// The largest number of rows that introduce no item, which need 24 bytes of memory each.
  private static let changeCount = 1 << 20

  let range: Range<Int64>
  /// The number of bytes of the rows.
  private(set) var byteCount = 0
  /// The rows that introduce no item, by item, the newest of each first.
  private(set) var changes: [Change] = []
  /// The rows before the first step that is kept.
  private(set) var pruned: [Int64] = []

  /// Takes the first rows of a range: all if nothing is exceeded, and at least one.
  ///
  /// - Parameters:
  ///   - range: plain rows.
  ///   - firstStep: the first change whose step is kept.
  ///   - limit: the largest number of bytes of several rows; nil for no limit.
  init(
    of range: Range<Int64>, in list: ListKey, firstStep: Int64, limit: Int?, _ reader: ListReader
  ) throws {
    var end = range.upperBound
    var (byteCount, changes, pruned) = (0, [Change](), [Int64]())
    try reader.visitPlain(range, of: list) { row, cells in
      let textByteCount = cells.byteCount(8) + cells.byteCount(9)
      byteCount += Self.rowByteCount + textByteCount
      let isTooMuch = byteCount > limit ?? .max || changes.count == Self.changeCount
      if isTooMuch, row.sequence > range.lowerBound {
        (end, byteCount) = (row.sequence, byteCount - Self.rowByteCount - textByteCount)
        return false
      }
      if row.sequence < firstStep { pruned.append(row.sequence) }
      if !row.introducesItem {
        changes.append(
          Change(
            item: row.item.sequence, sequence: row.sequence,
            byteCount: cells.isNull(9) ? nil : textByteCount))
      }
      return true
    }
    changes.sort { ($0.item, $1.sequence) < ($1.item, $0.sequence) }
    self.range = range.lowerBound..<end
    (self.byteCount, self.changes, self.pruned) = (byteCount, changes, pruned)
  }
}

/// The changes in plain rows, by item.
///
/// Memory: 24 bytes for each row that introduces no item, and the texts of some rows.
struct PlainTouches: TouchSource {
  private struct Introduction {
    let item: Int64
    let id: [UInt8]?
    let content: [UInt8]?
  }

  /// The largest numbers of bytes and rows that are read at once, beside a single larger row.
  private static let (pageByteCount, pageRowCount) = (1 << 23, 1 << 16)

  private let list: ListKey
  private let changes: [PlainRows.Change]
  /// The first change of each step of the new slice.
  private let starts: [Int64]
  private var nextChange = 0
  /// The texts of the next changes, in reverse.
  private var texts: [[UInt8]?] = []
  /// The rows of the range that are still to be read.
  private var rest: Range<Int64>
  /// The rows that introduce the next items, in reverse.
  private var introductions: [Introduction] = []

  init(_ rows: PlainRows, of list: ListKey, starts: [Int64]) {
    (self.list, changes, self.starts, rest) = (list, rows.changes, starts, rows.range)
  }

  mutating func item(_ reader: ListReader) throws -> Int64? {
    if introductions.isEmpty, !rest.isEmpty { try readIntroductions(reader) }
    let change = nextChange < changes.count ? changes[nextChange].item : nil
    return [change, introductions.last?.item].compactMap(\.self).min()
  }

  mutating func id(_ reader: ListReader) throws -> [UInt8]? {
    let item = try item(reader)
    return introductions.last.flatMap { $0.item == item ? $0.id : nil }
  }

  mutating func next(_ reader: ListReader) throws -> Touch? {
    guard let item = try item(reader) else { return nil }
    if nextChange < changes.count, changes[nextChange].item == item {
      if texts.isEmpty { try readTexts(reader) }
      defer { nextChange += 1 }
      return (step(of: changes[nextChange].sequence), texts.removeLast())
    }
    let introduction = introductions.removeLast()
    return (introduction.content == nil ? step(of: item) : nil, introduction.content)
  }

  private func step(of change: Int64) -> Int { starts.partitioningIndex { $0 > change } - 1 }

  private mutating func readTexts(_ reader: ListReader) throws {
    var (end, byteCount) = (nextChange, 0)
    while end < changes.count, end - nextChange < Self.pageRowCount {
      byteCount += changes[end].byteCount ?? 0
      if end > nextChange, byteCount > Self.pageByteCount { break }
      end += 1
    }
    let page = changes[nextChange..<end]
    texts = Array(repeating: nil, count: page.count)
    let wanted = page.indices.filter { page[$0].byteCount != nil }
    var count = 0
    try reader.visit(.changes, wanted.map { RowKey(list, page[$0].sequence) }) { number, row in
      texts[end - 1 - wanted[number]] = row.bytes(9)
      count += 1
    }
    guard count == wanted.count else {
      throw StoreError.corrupt(reason: "a change of a list is missing")
    }
  }

  private mutating func readIntroductions(_ reader: ListReader) throws {
    var (byteCount, end) = (0, rest.upperBound)
    try reader.visitPlain(rest, of: list) { row, cells in
      if row.introducesItem {
        introductions.append(
          Introduction(
            item: row.sequence, id: cells.isNull(8) ? nil : cells.bytes(8),
            content: cells.isNull(9) ? nil : cells.bytes(9)))
        byteCount += PlainRows.rowByteCount + cells.byteCount(8) + cells.byteCount(9)
      }
      if byteCount < Self.pageByteCount { return true }
      end = row.sequence + 1
      return false
    }
    introductions.reverse()
    rest = end..<rest.upperBound
  }
}

extension ListReader {
  /// The number of rows that are asked for at once, since an engine across a network sends all of
  /// them.
  private static let askedRowCount = 4096

  /// Passes plain rows to a receiver until it returns false.
  func visitPlain(
    _ range: Range<Int64>, of list: ListKey, _ receive: (ChangeRow, LogRow) throws -> Bool
  ) throws {
    var (rest, wantsMore) = (range, true)
    while wantsMore, !rest.isEmpty {
      var count = 0
      let rows = RowRange(
        of: .changes, in: list, from: rest.lowerBound, through: rest.upperBound - 1)
      try visit(rows.limited(to: Self.askedRowCount)) { cells in
        let row = try ChangeRow(cells)
        count += 1
        rest = row.sequence + 1..<range.upperBound
        wantsMore = try receive(row, cells)
        return wantsMore
      }
      wantsMore = wantsMore && count == Self.askedRowCount
    }
  }

  /// Passes changes to a receiver, packed ones and plain ones, in ascending order.
  func changeRows(
    _ range: Range<Int64>, of list: ListKey, _ receive: (ChangeRow) throws -> Void
  ) throws {
    let firstPlain = try row(of: list).firstPlain
    if range.lowerBound < firstPlain {
      try packedRows(range.clamped(to: range.lowerBound..<firstPlain), of: list, receive)
    }
    if range.upperBound > firstPlain {
      try visitPlain(max(range.lowerBound, firstPlain)..<range.upperBound, of: list) { row, _ in
        try receive(row)
        return true
      }
    }
  }
}
