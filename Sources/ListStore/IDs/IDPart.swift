import ListChanges

/// A part of the table in which a list finds its items by their ids. The table is sorted by the
/// hashes of the ids, so a new id changes only one part.
///
///     part   = %x01 first *( gap item )
///     first  = number               ; the smallest hash that the part may hold
///     gap    = number               ; from the hash before; at first from 0
///     item   = number               ; the item's key without its list
///     number = as ByteWriter writes it
package struct IDPart: Equatable {
  /// The largest number of entries of a part, unless more have the same hash.
  private static let maximumCount = 128
  /// The largest number of entries of a new part.
  static let targetCount = 96
  private static let version: UInt8 = 1
  package static let lastHash: Int64 = 1 << 32 - 1

  /// The hashes that the part may hold. The largest one is the key of the part. The smallest one
  /// shows that no part is missing before this one.
  package let hashes: ClosedRange<Int64>
  /// The entries, ascending, without repetitions.
  package private(set) var entries: [IDEntry]

  package init(hashes: ClosedRange<Int64>, entries: [IDEntry]) {
    (self.hashes, self.entries) = (hashes, entries)
  }

  /// The part of a list without ids.
  package static let empty = IDPart(hashes: 0...lastHash, entries: [])

  package var last: Int64 { hashes.upperBound }

  /// Decodes a part.
  ///
  /// - Throws: `StoreError.corrupt` when the bytes are not those of a part.
  package init(last: Int64, encoded bytes: [UInt8]) throws(StoreError) {
    do {
      var reader = ByteReader(bytes)
      guard try reader.byte() == Self.version, (0...Self.lastHash).contains(last) else {
        throw ByteReader.Malformed()
      }
      var entries: [IDEntry] = []
      let first = try Int64(reader.count(upTo: Int(last)))
      var hash: Int64 = 0
      while !reader.isAtEnd {
        hash += try Int64(reader.count(upTo: Int(last - hash)))
        let item = try Int64(reader.count(upTo: Int(ListKey.largestSequence)))
        entries.append(IDEntry(hash: hash, item: item))
      }
      let isAscending = zip(entries, entries.dropFirst()).allSatisfy { $0 < $1 }
      guard isAscending, entries.first?.hash ?? first >= first else {
        throw ByteReader.Malformed()
      }
      self.init(hashes: first...last, entries: entries)
    } catch {
      throw .corrupt(reason: "a part of the ids of a list is damaged")
    }
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(byte: Self.version)
    writer.write(count: Int(hashes.lowerBound))
    var hash: Int64 = 0
    for entry in entries {
      writer.write(count: Int(entry.hash - hash))
      writer.write(count: Int(entry.item))
      hash = entry.hash
    }
    return writer.bytes
  }

  /// Returns the items whose ids have this hash.
  package func items(_ hash: Int64) -> some Sequence<Int64> {
    entries[entries.partitioningIndex { $0.hash >= hash }...].lazy.prefix { $0.hash == hash }
      .map(\.item)
  }

  /// Returns the parts that replace this one when entries are added.
  ///
  /// - Parameter new: the entries, ascending, without repetitions; all belong to this part.
  /// - Complexity: O(m) for m entries in the result.
  package func adding(_ new: some Collection<IDEntry>) -> [IDPart] {
    if entries.isEmpty { return Self.parts(of: Array(new), hashes) }
    var merged: [IDEntry] = []
    merged.reserveCapacity(entries.count + new.count)
    var old = entries[...]
    for entry in new {
      while let first = old.first, first < entry { merged.append(old.removeFirst()) }
      if merged.last != entry, old.first != entry { merged.append(entry) }
    }
    merged += old
    return Self.parts(of: merged, hashes)
  }

  /// Divides entries into parts of about equal length. Entries with the same hash stay together.
  private static func parts(
    of entries: [IDEntry], _ hashes: ClosedRange<Int64>
  ) -> [IDPart] {
    guard entries.count > maximumCount else {
      return [IDPart(hashes: hashes, entries: entries)]
    }
    let count = (entries.count + targetCount - 1) / targetCount
    var parts: [IDPart] = []
    var (start, first) = (0, hashes.lowerBound)
    for number in 1..<count {
      var end = max(start, number * entries.count / count)
      while end > start, end < entries.count, entries[end - 1].hash == entries[end].hash {
        end += 1
      }
      guard end > start, end < entries.count else { continue }
      let last = entries[end - 1].hash
      parts.append(IDPart(hashes: first...last, entries: Array(entries[start..<end])))
      (start, first) = (end, last + 1)
    }
    let rest = IDPart(hashes: first...hashes.upperBound, entries: Array(entries[start...]))
    return parts + [rest]
  }
}

extension [IDPart] {
  /// Returns the part that may hold a hash.
  ///
  /// - Throws: `StoreError.corrupt` if the part is not among these.
  func part(holding hash: Int64) throws(StoreError) -> IDPart {
    let position = partitioningIndex { $0.last >= hash }
    guard position < count, self[position].hashes.contains(hash) else {
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
      guard part.hashes.lowerBound == next else { return "the table of its ids lacks a part" }
      next = part.last + 1
    }
    guard next > IDPart.lastHash else { return "the table of its ids lacks a part" }
    return flatMap(\.entries) == entries ? nil : "the table of its ids has not the ids of its items"
  }
}
