import Hashing
import ListModel

/// An id of a list, by its hash, with the item that has it.
package struct IDEntry: Hashable, Sendable {
  /// The first 32 bits of the SHA-256 of the id. Equal hashes of different ids are rare, and a
  /// lookup compares the ids themselves.
  package let hash: Int64
  /// The item's key without its list.
  package let item: Int64

  package init(hash: Int64, item: Int64) { (self.hash, self.item) = (hash, item) }

  package init(_ id: ItemID, item: ItemKey) {
    self.init(hash: Self.hash(of: id), item: item.sequence)
  }

  package static func hash(of id: ItemID) -> Int64 {
    var text = id.text
    return Int64(text.withUTF8 { SHA256.digest(of: UnsafeRawBufferPointer($0)) }.prefix >> 32)
  }
}

extension IDEntry: Comparable {
  package static func < (a: IDEntry, b: IDEntry) -> Bool {
    a.hash == b.hash ? a.item < b.item : a.hash < b.hash
  }
}

extension [IDEntry] {
  /// The groups of several entries with equal hashes.
  ///
  /// - Precondition: The entries are ascending.
  var likeGroups: [ArraySlice<IDEntry>] {
    var groups: [ArraySlice<IDEntry>] = []
    var start = startIndex
    for index in indices.dropFirst() where self[index].hash != self[start].hash {
      if index > start + 1 { groups.append(self[start..<index]) }
      start = index
    }
    return endIndex > start + 1 ? groups + [self[start...]] : groups
  }
}
