import ListChanges

/// A part of the table in which a list finds its items by their ids. The table is sorted by the
/// hashes of the ids, so a new id changes only one part.
///
///     part   = %x01 first *( gap item )
///     first  = number               ; the smallest prefix of a hash that the part may hold
///     gap    = number               ; from the hash before; at first from 0
///     item   = number               ; the item's key without its list
///     number = as ByteWriter writes it
package struct IDPart: Equatable {
  /// The largest number of entries of a part, unless more have the same prefix.
  private static let maximumCount = 128
  /// The largest number of entries of a new part.
  static let targetCount = 96
  private static let version: UInt8 = 1
  /// The largest prefix of a hash.
  package static let lastPrefix: Int64 = 1 << 32 - 1

  /// The prefixes of hashes that the part may hold. The largest one is the key of the part. The
  /// smallest one shows that no part is missing before this one.
  package let prefixes: ClosedRange<Int64>
  /// The entries, ascending, without repetitions.
  package private(set) var entries: [IDEntry]

  package init(prefixes: ClosedRange<Int64>, entries: [IDEntry]) {
    (self.prefixes, self.entries) = (prefixes, entries)
  }

  /// The part of a list without ids.
  package static let empty = IDPart(prefixes: 0...lastPrefix, entries: [])

  package var last: Int64 { prefixes.upperBound }

  /// Decodes a part.
  ///
  /// - Throws: `StoreError.corrupt` when the bytes are not those of a part.
  package init(last: Int64, encoded bytes: [UInt8]) throws(StoreError) {
    do {
      var reader = ByteReader(bytes)
      guard try reader.byte() == Self.version, (0...Self.lastPrefix).contains(last) else {
        throw ByteReader.Malformed()
      }
      var entries: [IDEntry] = []
      let first = try Int64(reader.count(upTo: Int(last)))
      var hash: UInt64 = 0
      while !reader.isAtEnd {
        hash = try hash &+ reader.number()
        let item = try Int64(reader.count(upTo: Int(ListKey.largestSequence)))
        entries.append(IDEntry(hash: hash, item: item))
      }
      let isAscending = zip(entries, entries.dropFirst()).allSatisfy { $0 < $1 }
      let isInside = [entries.first, entries.last].allSatisfy { entry in
        entry.map { (first...last).contains($0.prefix) } ?? true
      }
      guard isAscending, isInside else { throw ByteReader.Malformed() }
      self.init(prefixes: first...last, entries: entries)
    } catch {
      throw .corrupt(reason: "a part of the ids of a list is damaged")
    }
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(byte: Self.version)
    writer.write(count: Int(prefixes.lowerBound))
    var hash: UInt64 = 0
    for entry in entries {
      writer.write(entry.hash - hash)
      writer.write(count: Int(entry.item))
      hash = entry.hash
    }
    return writer.bytes
  }

  /// Returns the items whose ids have this hash.
  package func items(_ hash: UInt64) -> some Sequence<Int64> {
    entries[entries.partitioningIndex { $0.hash >= hash }...].lazy.prefix { $0.hash == hash }
      .map(\.item)
  }

  /// Returns the parts that replace this one when entries are added.
  ///
  /// - Parameter new: the entries, ascending, without repetitions; all belong to this part.
  /// - Complexity: O(m) for m entries in the result.
  package func adding(_ new: some Collection<IDEntry>) -> [IDPart] {
    if entries.isEmpty { return Self.parts(of: Array(new), prefixes) }
    var merged: [IDEntry] = []
    merged.reserveCapacity(entries.count + new.count)
    var old = entries[...]
    for entry in new {
      while let first = old.first, first < entry { merged.append(old.removeFirst()) }
      if merged.last != entry, old.first != entry { merged.append(entry) }
    }
    merged += old
    return Self.parts(of: merged, prefixes)
  }

  /// Divides entries into parts of about equal length. Entries with the same prefix stay together.
  private static func parts(
    of entries: [IDEntry], _ prefixes: ClosedRange<Int64>
  ) -> [IDPart] {
    guard entries.count > maximumCount else {
      return [IDPart(prefixes: prefixes, entries: entries)]
    }
    let count = (entries.count + targetCount - 1) / targetCount
    var parts: [IDPart] = []
    var (start, first) = (0, prefixes.lowerBound)
    for number in 1..<count {
      var end = max(start, number * entries.count / count)
      while end > start, end < entries.count, entries[end - 1].prefix == entries[end].prefix {
        end += 1
      }
      guard end > start, end < entries.count else { continue }
      let last = entries[end - 1].prefix
      parts.append(IDPart(prefixes: first...last, entries: Array(entries[start..<end])))
      (start, first) = (end, last + 1)
    }
    let rest = IDPart(prefixes: first...prefixes.upperBound, entries: Array(entries[start...]))
    return parts + [rest]
  }
}

extension [IDPart] {
  /// Returns the part that may hold a hash.
  ///
  /// - Throws: `StoreError.corrupt` if the part is not among these.
  func part(holding hash: UInt64) throws(StoreError) -> IDPart {
    let prefix = IDEntry.prefix(of: hash)
    let position = partitioningIndex { $0.last >= prefix }
    guard position < count, self[position].prefixes.contains(prefix) else {
      throw .corrupt(reason: "the table of the ids of a list lacks a part")
    }
    return self[position]
  }

  /// Compares the whole table of a list with the entries that it should have. Returns its fault;
  /// nil if there is none.
  ///
  /// - Parameter entries: the entries, ascending.
  func fault(comparedWith entries: [IDEntry]) -> String? {
    var next: Int64 = 0
    for part in self {
      guard part.prefixes.lowerBound == next else { return "the table of its ids lacks a part" }
      next = part.last + 1
    }
    guard next > IDPart.lastPrefix else { return "the table of its ids lacks a part" }
    return flatMap(\.entries) == entries ? nil : "the table of its ids has not the ids of its items"
  }
}
