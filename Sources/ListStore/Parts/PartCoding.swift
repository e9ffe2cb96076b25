/// The coding of consecutive items of a stored list, for checkpoints and the head's parts.
///
///     part     = %x01 count items contents
///     count    = number                    ; of items, 1 to 2048
///     items    = 1*( gap length )          ; runs of items whose keys count up by 1
///     gap      = signed                    ; from the key that would continue the run before
///     length   = number                    ; of the run
///     contents = 1*( own other *content )  ; `other` contents, until every item has one
///     own      = number                    ; the number of items with their first content
///     other    = number                    ; the number of items after them with another content
///     content  = signed                    ; from the other content before; from 0 at first
///     number, signed                       ; as ByteWriter writes them
///
/// Keys are sequences within the list. A list in the order of its insertions is one run of a few
/// bytes.
package enum PartCoding {
  package static let maximumCount = 2048
  private static let version: UInt8 = 1

  /// - Precondition: There are 1 to ``maximumCount`` items, all of one list.
  package static func encode(_ items: ArraySlice<StoredItem>) -> [UInt8] {
    precondition((1...maximumCount).contains(items.count), "a part has 1 to 2048 items")
    var writer = ByteWriter()
    writer.write(byte: version)
    writer.write(count: items.count)
    encodeKeys(of: items, to: &writer)
    encodeContents(of: items, to: &writer)
    return writer.bytes
  }

  /// Encodes any number of items, as consecutive parts.
  package static func encode(all items: [StoredItem]) -> [UInt8] {
    stride(from: 0, to: items.count, by: maximumCount).flatMap {
      encode(items[$0..<min($0 + maximumCount, items.count)])
    }
  }

  private static func encodeKeys(of items: ArraySlice<StoredItem>, to writer: inout ByteWriter) {
    var next: Int64 = 0
    var position = items.startIndex
    while position < items.endIndex {
      let first = items[position].id.sequence
      var end = position + 1
      while end < items.endIndex, items[end].id.sequence == first + Int64(end - position) {
        end += 1
      }
      writer.write(signed: first - next)
      writer.write(count: end - position)
      next = first + Int64(end - position)
      position = end
    }
  }

  private static func encodeContents(
    of items: ArraySlice<StoredItem>, to writer: inout ByteWriter
  ) {
    var before: Int64 = 0
    var rest = items
    while !rest.isEmpty {
      let own = rest.prefix { $0.hasOwnContent }
      let others = rest[own.endIndex...].prefix { !$0.hasOwnContent }
      writer.write(count: own.count)
      writer.write(count: others.count)
      for item in others {
        writer.write(signed: item.content.sequence - before)
        before = item.content.sequence
      }
      rest = rest[others.endIndex...]
    }
  }

  /// Decodes consecutive parts, and appends their items.
  ///
  /// - Parameter limit: the largest number of items that the parts may have.
  /// - Throws: `StoreError.corrupt` when the bytes are not whole parts, or have more items.
  package static func decode(
    _ bytes: [UInt8], of list: ListKey, upTo limit: Int, into items: inout [StoredItem]
  ) throws(StoreError) {
    var (reader, rest) = (ByteReader(bytes), limit)
    do {
      while !reader.isAtEnd {
        let first = items.count
        guard try reader.byte() == version else { throw ByteReader.Malformed() }
        let count = try reader.count(upTo: min(maximumCount, rest))
        rest -= count
        guard count > 0 else { throw ByteReader.Malformed() }
        try decodeKeys(from: &reader, list, count: count, into: &items)
        try decodeContents(from: &reader, list, of: first..<items.count, in: &items)
      }
    } catch {
      throw .corrupt(reason: "the stored order of a list is damaged")
    }
  }

  private static func decodeKeys(
    from reader: inout ByteReader, _ list: ListKey, count: Int, into items: inout [StoredItem]
  ) throws(ByteReader.Malformed) {
    var next: Int64 = 0
    var rest = count
    while rest > 0 {
      let first = try reader.number(from: next, in: ListKey.sequences)
      let length = try reader.count(upTo: rest)
      guard length > 0, list.holds(first + Int64(length) - 1) else {
        throw ByteReader.Malformed()
      }
      next = first + Int64(length)
      for sequence in first..<next {
        items.append(
          StoredItem(
            id: ItemKey(list, sequence: sequence), content: ContentKey(list, sequence: sequence)))
      }
      rest -= length
    }
  }

  private static func decodeContents(
    from reader: inout ByteReader, _ list: ListKey, of range: Range<Int>,
    in items: inout [StoredItem]
  ) throws(ByteReader.Malformed) {
    var before: Int64 = 0
    var position = range.lowerBound
    while position < range.upperBound {
      let own = try reader.count(upTo: range.upperBound - position)
      position += own
      let others = try reader.count(upTo: range.upperBound - position)
      guard own + others > 0 else { throw ByteReader.Malformed() }
      for index in position..<position + others {
        before = try reader.number(from: before, in: ListKey.sequences)
        items[index] = StoredItem(id: items[index].id, content: ContentKey(list, sequence: before))
      }
      position += others
    }
  }
}
