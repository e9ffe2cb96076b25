import ListChanges

/// A part of the table in which a list finds its items by their ids. The table is sorted by the
/// hashes of the ids, so adding an id changes one part.
///
///     part   = %x01 *( gap item )
///     gap    = number               ; from the hash before; at first from 0
///     item   = number               ; the item's key without its list
///     number = as ByteWriter writes it
package struct IDPart: Equatable {
  /// The most entries of a part, unless more have the same prefix.
  private static let maximumCount = 128
  /// The most entries of a new part.
  private static let targetCount = 96
  private static let version: UInt8 = 1
  /// The largest prefix of a hash.
  package static let lastPrefix: Int64 = 1 << 32 - 1

  /// The largest prefix of a hash that the part may hold: the key of the part.
  package let last: Int64
  /// Ascending, each once.
  package private(set) var entries: [IDEntry]

  package init(last: Int64, entries: [IDEntry]) { (self.last, self.entries) = (last, entries) }

  /// - Throws: `StoreError.corrupt` when the bytes are not those of a part.
  package init(last: Int64, encoded bytes: [UInt8]) throws(StoreError) {
    self.init(last: last, entries: [])
    do {
      var reader = ByteReader(bytes)
      guard try reader.byte() == Self.version else { throw ByteReader.Malformed() }
      var hash: UInt64 = 0
      while !reader.isAtEnd {
        hash = try hash &+ reader.number()
        let item = try Int64(reader.count(upTo: Int(ListKey.largestSequence)))
        entries.append(IDEntry(hash: hash, item: item))
      }
      let isAscending = zip(entries, entries.dropFirst()).allSatisfy { $0 < $1 }
      guard isAscending, entries.last.map({ $0.prefix <= last }) ?? true else {
        throw ByteReader.Malformed()
      }
    } catch {
      throw .corrupt(reason: "a part of the ids of a list is damaged")
    }
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(byte: Self.version)
    var hash: UInt64 = 0
    for entry in entries {
      writer.write(entry.hash - hash)
      writer.write(count: Int(entry.item))
      hash = entry.hash
    }
    return writer.bytes
  }

  /// The items that an id with a hash may have.
  package func items(_ hash: UInt64) -> some Sequence<Int64> {
    entries[entries.partitioningIndex { $0.hash >= hash }...].lazy.prefix { $0.hash == hash }
      .map(\.item)
  }

  /// The parts that take the place of this one when it gets further entries.
  ///
  /// - Parameter new: ascending; all belong to this part.
  /// - Complexity: O(m) for m entries in the end.
  package func adding(_ new: some Collection<IDEntry>) -> [IDPart] {
    var merged: [IDEntry] = []
    merged.reserveCapacity(entries.count + new.count)
    var old = entries[...]
    for entry in new {
      while let first = old.first, first < entry { merged.append(old.removeFirst()) }
      if merged.last != entry, old.first != entry { merged.append(entry) }
    }
    merged += old
    return Self.parts(of: merged, last: last)
  }

  /// Parts of about equal length. Entries with the same prefix stay together.
  private static func parts(of entries: [IDEntry], last: Int64) -> [IDPart] {
    guard entries.count > maximumCount else { return [IDPart(last: last, entries: entries)] }
    let count = (entries.count + targetCount - 1) / targetCount
    var parts: [IDPart] = []
    var start = 0
    for number in 1..<count {
      var end = max(start, number * entries.count / count)
      while end > start, end < entries.count, entries[end - 1].prefix == entries[end].prefix {
        end += 1
      }
      guard end > start, end < entries.count else { continue }
      parts.append(IDPart(last: entries[end - 1].prefix, entries: Array(entries[start..<end])))
      start = end
    }
    return parts + [IDPart(last: last, entries: Array(entries[start...]))]
  }
}

extension [IDPart] {
  /// What is wrong with the whole table of a list; nil if it has exactly some entries.
  ///
  /// - Parameter entries: ascending.
  package func fault(comparedWith entries: [IDEntry]) -> String? {
    if isEmpty, entries.isEmpty { return nil }
    guard last?.last == IDPart.lastPrefix else { return "the table of its ids has no end" }
    var start: Int64 = 0
    for part in self {
      if let first = part.entries.first, first.prefix < start {
        return "the table of its ids is not in order"
      }
      start = part.last + 1
    }
    return flatMap(\.entries) == entries ? nil : "the table of its ids has not the ids of its items"
  }
}
