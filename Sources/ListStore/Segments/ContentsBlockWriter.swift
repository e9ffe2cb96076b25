/// A writer of a ``ContentsBlock``.
struct ContentsBlockWriter {
  /// A step that changed an item, and the text that it wrote. A nil step introduced the item, and
  /// wrote a text.
  typealias ItemRevision = (step: Int?, text: [UInt8]?)

  private let stepCount: Int
  private var items = ByteWriter()
  private var shapes = ByteWriter()
  private var revisions = ByteWriter()
  private var ids = ByteWriter()
  private var texts = TextDeltaWriter()
  /// The number of bytes of all texts, before some became differences.
  private(set) var textByteCount = 0
  private var lastItem: Int64 = 0
  private var lastStep = 0

  /// - Parameter stepCount: the number of the segment's steps.
  init(stepCount: Int) { self.stepCount = stepCount }

  /// Returns whether the block may get texts of some more bytes.
  func hasRoom(for byteCount: Int) -> Bool {
    textByteCount == 0 || textByteCount + byteCount <= ContentsBlock.textByteLimit
  }

  /// The approximate number of bytes of the block.
  var byteCount: Int {
    items.bytes.count + shapes.bytes.count + revisions.bytes.count + ids.bytes.count
      + texts.numbers.bytes.count + texts.literals.count
  }

  /// Adds the changes of an item.
  ///
  /// - Parameters:
  ///   - item: the item: the same one as before, or a later one.
  ///   - id: its id, if the segment introduces it and no other entry has it.
  ///   - new: the steps that changed the item, newest first.
  ///   - base: its current text; nil if no text has this base.
  mutating func add(_ item: Int64, id: [UInt8]?, _ new: [ItemRevision], base: [UInt8]? = nil) {
    items.write(count: Int(item - lastItem))
    shapes.write(count: 4 * new.count + (id == nil ? 0 : 2) + (base == nil ? 0 : 1))
    if let id { write(id: id, in: base == nil ? new.lazy.compactMap(\.text).first : nil) }
    var before = item == lastItem ? lastStep : stepCount
    var (number, basis) = (0, base ?? [])
    for revision in new {
      if let step = revision.step {
        revisions.write(count: 2 * (before - step) + (revision.text == nil ? 0 : 1))
        before = step
      } else {
        revisions.write(count: 1)
      }
      guard let text = revision.text else { continue }
      if number % ContentsBlock.chainCount == 0, !(number == 0 && base != nil) { basis = [] }
      textByteCount += text.count
      texts.write(text, base: basis, isBaseKnown: number > 0 || base == nil)
      (basis, number) = (text, number + 1)
    }
    (lastItem, lastStep) = (item, before)
  }

  private mutating func write(id: [UInt8], in text: [UInt8]?) {
    if let text, let start = text.firstPlace(of: id) {
      let behind = text.count - start - id.count
      ids.write(count: start + 1)
      ids.write(count: behind < id.count ? 2 * behind + 1 : 2 * id.count)
    } else {
      ids.write(count: 0)
      ids.write(count: 2 * id.count)
      texts.write(bytes: id)
    }
  }

  /// The block.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    for column in [
      items.bytes, shapes.bytes, revisions.bytes, ids.bytes, texts.numbers.bytes, texts.literals,
    ] {
      writer.write(count: column.count)
      writer.write(column)
    }
    return writer.bytes
  }
}

extension Array where Element: Equatable {
  /// Returns the first position of other elements in this array; nil if they do not occur, or are
  /// none. The search is that of Knuth, Morris and Pratt (1977).
  ///
  /// - Complexity: O(n) comparisons for n elements in both, at most 2 of each.
  func firstPlace(of other: [Element]) -> Int? {
    guard !other.isEmpty, other.count <= count else { return nil }
    // For each beginning of `other`, how long a shorter one is that it ends with.
    var borders = [0]
    var length = 0
    for element in other.dropFirst() {
      while length > 0, other[length] != element { length = borders[length - 1] }
      if other[length] == element { length += 1 }
      borders.append(length)
    }
    length = 0
    for (position, element) in enumerated() {
      while length > 0, other[length] != element { length = borders[length - 1] }
      if other[length] == element { length += 1 }
      if length == other.count { return position + 1 - length }
    }
    return nil
  }
}
