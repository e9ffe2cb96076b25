import ListModel

/// The canonical document of a snapshot: a JSON array with each item in canonical form on its own
/// line. Equal snapshots have equal bytes.
public enum SnapshotDocument {
  public static func encode(_ snapshot: Snapshot) -> [UInt8] {
    part(of: snapshot.items, from: 0) + end(count: snapshot.items.count)
  }

  /// The part of a document that has some items next to each other.
  ///
  /// - Parameters:
  ///   - items: the items.
  ///   - index: the index of the first of them in the snapshot.
  public static func part(of items: [Item], from index: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.reduce(4) { $0 + $1.content.bytes.count + 2 })
    for (number, item) in zip(index..., items) {
      bytes += number == 0 ? "[\n".utf8 : ",\n".utf8
      bytes += item.content.bytes
    }
    return bytes
  }

  /// The end of a document with a number of items.
  public static func end(count: Int) -> [UInt8] { Array((count == 0 ? "[]\n" : "\n]\n").utf8) }
}
