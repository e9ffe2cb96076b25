import ListChanges

/// A block of texts, by item: those that the changes of a segment wrote (see ``Segment``).
///
///     block   = items shapes touches ids texts own
///               ; each is its length, a number, and that many bytes
///     items   = *gap          ; from the item before, at first from 0; 0: the same item again
///     shapes  = *shape        ; of each item: 4 * touches + 2 * has an id + has a base
///     touches = *touch        ; of each item: the steps that changed it, the newest first
///     touch   = 1             ; the step that introduced the item, and wrote a content
///             / number        ; 2 * the steps back + wrote a content; back from the touch
///                             ; before, at first from the end of the segment
///     ids     = *id           ; of the items that have one
///     id      = %x00 length   ; its bytes are the next ones of `own`
///             / place length  ; 1 + its position in the item's first text
///     length  = number        ; 2 * its byte count, or 1 + 2 * the byte count of the text after it
///     texts   = *text         ; of each touch that wrote a content: see TextDeltaWriter
///     own     = *OCTET
///     number  = as ByteWriter writes it
///
/// The base of a text is the text before it in the same item. Every sixteenth text has no base,
/// beginning with the first one. But if the item has a base, this is the base of the first text: it
/// is the item's text in the *front* (see ``Segment``).
struct ContentsBlock {
  /// The number of texts of an item of which only the first is whole.
  static let chainCount = 16
  /// The largest number of bytes of all texts of a block that has more than one text.
  static let textByteLimit = 1 << 22
  /// The largest numbers of bytes of the first four columns, and of the texts without their own
  /// bytes.
  private static let (entryByteLimit, textNumberByteLimit) = (1 << 17, 1 << 20)

  /// The changes of one item by the steps of the segment.
  struct Entry {
    let item: Int64
    let touches: Range<Int>
    /// Whether the base of the first text is the item's text in the front.
    let hasBase: Bool
    let id: IDPlace?
  }

  /// A step that changed an item, and the text that it wrote.
  struct Touch {
    /// The position of the step in the segment; nil for the one that introduced the item.
    let step: Int?
    let text: TextDelta?
  }

  enum IDPlace {
    case own(Range<Int>)
    /// The offset in the first text of the item, and the length.
    case text(Int, Int)
  }

  private(set) var entries: [Entry] = []
  private(set) var touches: [Touch] = []
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
    var (ids, texts, own) = (try reader.part(), try reader.part(), try reader.part())
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
      let first = touches.count
      var step = isSame ? touches.last?.step ?? 0 : stepCount
      // The length of the text in the front is not known here.
      var (textCount, baseCount) = (0, 0)
      // The id is encoded before the texts of its item.
      var id: IDPlace?
      var idEnd: (start: Int, code: Int)?
      if hasID {
        let place = try ids.count(upTo: bytes.count)
        let code = try ids.count(upTo: 2 * bytes.count)
        if place == 0 {
          guard code & 1 == 0 else { throw ByteReader.Malformed() }
          let start = own.index
          _ = try own.bytes(code >> 1)
          id = .own(start..<own.index)
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
          let found = try TextDelta(&texts, &own, baseCount: baseCount)
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
        touches.append(Touch(step: number == 1 ? nil : step, text: text))
      }
      guard idEnd == nil else { throw ByteReader.Malformed() }
      entries.append(
        Entry(item: item, touches: first..<touches.count, hasBase: hasBase, id: id))
    }
    guard shapes.isAtEnd, places.isAtEnd, ids.isAtEnd, texts.isAtEnd, own.isAtEnd, reader.isAtEnd
    else { throw ByteReader.Malformed() }
  }
}

extension ContentsBlock {
  /// Returns the entries of an item; empty if the block has none.
  func entries(of item: Int64) -> ArraySlice<Entry> {
    let start = entries.partitioningIndex { $0.item >= item }
    return entries[start...].prefix { $0.item == item }
  }

  /// Passes the texts that steps wrote to a receiver, in the order of the touches of an entry.
  ///
  /// - Parameters:
  ///   - entry: one of this block.
  ///   - base: the item's text in the front; empty if the entry has no base.
  ///   - isWanted: returns whether the text of a touch is needed.
  ///   - receive: receives the step of each needed text, and the text.
  func texts(
    of entry: Entry, base: [UInt8], _ isWanted: (Touch) -> Bool,
    _ receive: (_ step: Int?, _ text: [UInt8]) throws(ByteReader.Malformed) -> Void
  ) throws(ByteReader.Malformed) {
    // The text before the touch at `next`, on which that of the touch is based.
    var (text, next, number) = (base, entry.touches.lowerBound, 0)
    for position in entry.touches where touches[position].text != nil {
      if number % Self.chainCount == 0, number > 0 || !entry.hasBase {
        (text, next) = ([], position)
      }
      number += 1
      guard isWanted(touches[position]) else { continue }
      for delta in touches[next...position].lazy.compactMap(\.text) {
        text = try delta.text(in: bytes, base: text)
      }
      next = position + 1
      try receive(touches[position].step, text)
    }
  }

  /// Returns the id of an entry; nil if it has none.
  func id(of entry: Entry) throws(ByteReader.Malformed) -> [UInt8]? {
    switch entry.id {
    case nil: return nil
    case .own(let range): return Array(bytes[range])
    case .text(let start, let count):
      guard let delta = touches[entry.touches].lazy.compactMap(\.text).first else {
        throw ByteReader.Malformed()
      }
      return Array(try delta.text(in: bytes, base: [])[start..<start + count])
    }
  }
}
