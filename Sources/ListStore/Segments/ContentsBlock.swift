import ListChanges

/// A block of texts, by item: those that the changes of a segment wrote (see ``Segment``).
///
///     block   = items shapes revisions ids texts literals
///               ; each is its length, a number, and that many bytes
///     items   = *gap          ; from the item before, at first from 0; 0: the same item again
///     shapes  = *shape        ; of each item: 4 * revisions + 2 * has an id + has a base
///     revisions = *revision   ; of each item: the steps that changed it, the newest first
///     revision  = 1           ; the step that introduced the item, and wrote a content
///             / number        ; 2 * the steps back + wrote a content; back from the revision
///                             ; before, at first from the end of the segment
///     ids     = *id           ; of the items that have one
///     id      = %x00 length   ; its bytes are the next ones of `literals`
///             / place length  ; 1 + its position in the item's first text
///     length  = number        ; 2 * its byte count, or 1 + 2 * the byte count of the text after it
///     texts   = *text         ; of each revision that wrote a content: see TextDeltaWriter
///     literals = *OCTET
///     number  = as ByteWriter writes it
///
/// The base of a text is the text before it in the same item. Every sixteenth text has no base,
/// beginning with the first one. But if the item has a base, this is the base of the first text: it
/// is the item's *current* text (see ``Segment``).
struct ContentsBlock {
  /// The number of texts of an item of which only the first is whole.
  static let chainCount = 16
  /// The largest number of bytes of all texts of a block that has more than one text.
  static let textByteLimit = 1 << 22
  /// The largest numbers of bytes of the first four columns, and of the texts without their
  /// literals.
  private static let (entryByteLimit, textNumberByteLimit) = (1 << 17, 1 << 20)

  /// The changes of one item by the steps of the segment.
  struct Entry {
    let item: Int64
    let revisions: Range<Int>
    /// Whether the base of the first text is the item's current text.
    let hasBase: Bool
    let id: IDPlace?
  }

  /// A step that changed an item, and the text that it wrote.
  struct ItemRevision {
    /// The position of the step in the segment; nil for the one that introduced the item.
    let step: Int?
    let text: TextDelta?
  }

  enum IDPlace {
    case literals(Range<Int>)
    /// The offset in the first text of the item, and the length.
    case text(Int, Int)
  }

  private(set) var entries: [Entry] = []
  private(set) var revisions: [ItemRevision] = []
  let bytes: [UInt8]

  /// Reads a block.
  ///
  /// - Parameters:
  ///   - block: a block.
  ///   - stepCount: the number of the segment's steps.
  /// - Throws: `Malformed` if the bytes are no block, or unfold to more than the row says.
  init(
    _ block: UnfoldedBlock, stepCount: Int
  ) throws(ByteReader.Malformed) {
    bytes = block.bytes
    var (textTotal, textByteCount) = (0, 0)
    var reader = ByteReader(bytes)
    var (items, shapes, places) = (try reader.part(), try reader.part(), try reader.part())
    var (ids, texts, literals) = (try reader.part(), try reader.part(), try reader.part())
    guard [items, shapes, places, ids].allSatisfy({ $0.count <= Self.entryByteLimit }),
      texts.count <= Self.textNumberByteLimit
    else { throw ByteReader.Malformed() }
    var item: Int64 = 0
    while !items.isAtEnd {
      let gap = try Int64(items.count(upTo: Int(ListKey.largestSequence - item)))
      let isSame = gap == 0
      item += gap
      let shape = try shapes.number()
      let (hasBase, hasID) = (shape & 1 == 1, shape & 2 == 2)
      guard item > 0, shape >> 2 <= UInt64(bytes.count), shape >> 2 > 0, !(isSame && hasID) else {
        throw ByteReader.Malformed()
      }
      let first = revisions.count
      var step = isSame ? revisions.last?.step ?? 0 : stepCount
      // The length of the current text is not known here.
      var (textCount, baseCount) = (0, 0)
      // The id is encoded before the texts of its item.
      var id: IDPlace?
      var idEnd: (start: Int, code: Int)?
      if hasID {
        let place = try ids.count(upTo: bytes.count)
        let code = try ids.count(upTo: 2 * bytes.count)
        if place == 0 {
          guard code & 1 == 0 else { throw ByteReader.Malformed() }
          let start = literals.index
          _ = try literals.bytes(code >> 1)
          id = .literals(start..<literals.index)
        } else {
          idEnd = (place - 1, code)
        }
      }
      for _ in 0..<Int(shape >> 2) {
        let number = try places.count(upTo: 2 * step + 1)
        guard number > 0, step > 0 else { throw ByteReader.Malformed() }
        // No step is before the one that introduced the item.
        step = number == 1 ? 0 : step - number >> 1
        var text: TextDelta?
        if number & 1 == 1 {
          if textCount % Self.chainCount == 0 { baseCount = 0 }
          let found = try TextDelta(&texts, &literals, baseCount: baseCount)
          (text, baseCount, textCount) = (found, found.count, textCount + 1)
          textTotal += found.count > 0 ? 1 : 0
          textByteCount += found.count
          guard textByteCount <= block.textByteLimit,
            textTotal <= 1 || textByteCount <= Self.textByteLimit
          else { throw ByteReader.Malformed() }
          if let (start, code) = idEnd {
            let length = code & 1 == 0 ? code >> 1 : found.count - start - code >> 1
            guard !hasBase, length >= 0, start + length <= found.count else {
              throw ByteReader.Malformed()
            }
            (id, idEnd) = (.text(start, length), nil)
          }
        }
        revisions.append(ItemRevision(step: number == 1 ? nil : step, text: text))
      }
      guard idEnd == nil else { throw ByteReader.Malformed() }
      entries.append(
        Entry(item: item, revisions: first..<revisions.count, hasBase: hasBase, id: id))
    }
    guard shapes.isAtEnd, places.isAtEnd, ids.isAtEnd, texts.isAtEnd, literals.isAtEnd,
      reader.isAtEnd
    else { throw ByteReader.Malformed() }
  }
}

extension ContentsBlock {
  /// Returns the entries of an item; empty if the block has none.
  func entries(of item: Int64) -> ArraySlice<Entry> {
    let start = entries.partitioningIndex { $0.item >= item }
    return entries[start...].prefix { $0.item == item }
  }

  /// Passes the texts that steps wrote to a receiver, in the order of the revisions of an entry.
  ///
  /// - Parameters:
  ///   - entry: one of this block.
  ///   - base: the item's current text; empty if the entry has no base.
  ///   - isWanted: returns whether the text of a revision is needed.
  ///   - receive: receives the step of each needed text, and the text.
  func texts(
    of entry: Entry, base: [UInt8], _ isWanted: (ItemRevision) -> Bool,
    _ receive: (_ step: Int?, _ text: [UInt8]) throws(ByteReader.Malformed) -> Void
  ) throws(ByteReader.Malformed) {
    // The text before the revision at `next`, on which that of the revision is based.
    var (text, next, number) = (base, entry.revisions.lowerBound, 0)
    for position in entry.revisions where revisions[position].text != nil {
      if number % Self.chainCount == 0, number > 0 || !entry.hasBase {
        (text, next) = ([], position)
      }
      number += 1
      guard isWanted(revisions[position]) else { continue }
      for delta in revisions[next...position].lazy.compactMap(\.text) {
        text = try delta.text(in: bytes, base: text)
      }
      next = position + 1
      try receive(revisions[position].step, text)
    }
  }

  /// Returns the id of an entry; nil if it has none.
  func id(of entry: Entry) throws(ByteReader.Malformed) -> [UInt8]? {
    switch entry.id {
    case nil: return nil
    case .literals(let range): return Array(bytes[range])
    case .text(let start, let count):
      guard let delta = revisions[entry.revisions].lazy.compactMap(\.text).first else {
        throw ByteReader.Malformed()
      }
      return Array(try delta.text(in: bytes, base: [])[start..<start + count])
    }
  }
}
