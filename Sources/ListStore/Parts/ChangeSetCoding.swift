import ListChanges
import ListModel

/// The coding of kept changes between two versions, with their texts.
///
///     changes  = %x01 old new removed moved inserted updated
///     old, new = number                          ; counts of items
///     removed  = count *( from id content )
///     moved    = count *( from to id )
///     inserted = count *( to id content )
///     updated  = count *( from to id content content ) ; the old and the new content
///     id, content = count *OCTET                 ; that many bytes
///     count, from, to = number
package enum ChangeSetCoding {
  private static let version: UInt8 = 1

  /// - Precondition: Every move has its id.
  package static func encode(_ changes: ChangeSet<Item>) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(byte: version)
    writer.write(count: changes.oldCount)
    writer.write(count: changes.newCount)
    writer.write(list: changes.removed) { writer, removal in
      writer.write(count: removal.from)
      writer.write(removal.element)
    }
    writer.write(list: changes.moved) { writer, move in
      guard let id = move.id else { preconditionFailure("every move has its id") }
      writer.write(count: move.from)
      writer.write(count: move.to)
      writer.write(text: id.text.utf8)
    }
    writer.write(list: changes.inserted) { writer, insertion in
      writer.write(count: insertion.to)
      writer.write(insertion.element)
    }
    writer.write(list: changes.updated) { writer, update in
      writer.write(count: update.from)
      writer.write(count: update.to)
      writer.write(update.old)
      writer.write(text: update.new.content.bytes)
    }
    return writer.bytes
  }

  /// - Throws: `StoreError.corrupt` when the bytes are not what was encoded.
  package static func decode(_ bytes: [UInt8]) throws(StoreError) -> ChangeSet<Item> {
    do {
      var reader = ByteReader(bytes)
      let changes = try decode(from: &reader)
      guard reader.isAtEnd else { throw ByteReader.Malformed() }
      return changes
    } catch {
      throw .corrupt(reason: "kept changes between two versions are damaged")
    }
  }

  private static func decode(from reader: inout ByteReader) throws -> ChangeSet<Item> {
    guard try reader.byte() == version else { throw ByteReader.Malformed() }
    let (oldCount, newCount) = (try reader.wholeNumber(), try reader.wholeNumber())
    return try ChangeSet(
      oldCount: oldCount, newCount: newCount,
      removed: reader.list { reader in
        .init(from: try reader.wholeNumber(), element: try reader.item())
      },
      moved: reader.list { reader in
        .init(from: try reader.wholeNumber(), to: try reader.wholeNumber(), id: try reader.id())
      },
      inserted: reader.list { reader in
        .init(to: try reader.wholeNumber(), element: try reader.item())
      },
      updated: reader.list { reader in
        let (from, to, old) = (
          try reader.wholeNumber(), try reader.wholeNumber(), try reader.item()
        )
        let new = Item(id: old.id, content: try reader.content())
        return .init(from: from, to: to, old: old, new: new)
      })
  }
}

extension ByteWriter {
  fileprivate mutating func write(text: some Collection<UInt8>) {
    write(count: text.count)
    write(text)
  }

  fileprivate mutating func write(_ item: Item) {
    write(text: item.id.text.utf8)
    write(text: item.content.bytes)
  }

  fileprivate mutating func write<Change>(
    list: [Change], _ write: (inout ByteWriter, Change) -> Void
  ) {
    self.write(count: list.count)
    for change in list { write(&self, change) }
  }
}

extension ByteReader {
  /// Reads a count of items, or an index.
  fileprivate mutating func wholeNumber() throws -> Int {
    try count(upTo: Int(ListKey.largestSequence))
  }

  fileprivate mutating func text() throws -> ArraySlice<UInt8> { try bytes(wholeNumber()) }

  fileprivate mutating func id() throws -> ItemID {
    ItemID(String(decoding: try text(), as: UTF8.self))
  }

  fileprivate mutating func content() throws -> Content {
    Content(canonicalBytes: Array(try text()))
  }

  fileprivate mutating func item() throws -> Item {
    Item(id: try id(), content: try content())
  }

  /// Reads a count and that many changes. A count that is too large is an error at the end of the
  /// bytes.
  fileprivate mutating func list<Change>(
    _ read: (inout ByteReader) throws -> Change
  ) throws -> [Change] {
    let count = try wholeNumber()
    var list: [Change] = []
    for _ in 0..<count { list.append(try read(&self)) }
    return list
  }
}
