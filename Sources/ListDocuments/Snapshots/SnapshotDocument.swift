import ListModel

/// The canonical document of a snapshot: a JSON array with each item in canonical form on its own
/// line. Equal snapshots have equal bytes.
public enum SnapshotDocument {
  public static func encode(_ snapshot: Snapshot) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 + snapshot.items.reduce(0) { $0 + $1.content.bytes.count + 2 })
    bytes.append(UInt8(ascii: "["))
    for (index, item) in snapshot.items.enumerated() {
      bytes += index == 0 ? "\n".utf8 : ",\n".utf8
      bytes += item.content.bytes
    }
    bytes += snapshot.items.isEmpty ? "]\n".utf8 : "\n]\n".utf8
    return bytes
  }
}
