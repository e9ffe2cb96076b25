import ListModel

/// The coding of a part of the head.
///
///     part   = %x01 count 1*group 1*items
///     count  = number                      ; of groups, 1 to 256
///     group  = number 32OCTET              ; the number of its items, and its hash
///     items  = <part of PartCoding>
enum HeadPartCoding {
  /// The most items of a part.
  static let maximumCount = RootNode.largestGroup * RootNode.largestGroup
  private static let version: UInt8 = 1

  static func encode(_ content: HeadOrder.Part.Content) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(byte: version)
    writer.write(count: content.groups.count)
    for group in content.groups {
      writer.write(count: group.itemCount)
      writer.write(group.hash.bytes)
    }
    return writer.bytes + PartCoding.encode(all: content.items)
  }

  /// - Throws: `StoreError.corrupt` when the bytes are no part.
  static func decode(
    _ bytes: [UInt8], of list: ListKey
  ) throws(StoreError) -> HeadOrder.Part.Content {
    var reader = ByteReader(bytes)
    var groups: [RootNode] = []
    do {
      guard try reader.byte() == version else { throw ByteReader.Malformed() }
      for _ in 0..<(try reader.count(upTo: RootNode.largestGroup)) {
        let itemCount = try reader.count(upTo: RootNode.largestGroup)
        guard let hash = TreeHash(bytes: try reader.bytes(Root.byteCount)) else {
          throw ByteReader.Malformed()
        }
        groups.append(RootNode(level: 1, itemCount: itemCount, hash: hash))
      }
    } catch {
      throw .corrupt(reason: "the stored order of a list is damaged")
    }
    let count = groups.reduce(0) { $0 + $1.itemCount }
    var items: [StoredItem] = []
    try PartCoding.decode(Array(bytes[reader.index...]), of: list, upTo: count, into: &items)
    guard items.count == count else {
      throw .corrupt(reason: "the stored order of a list is damaged")
    }
    return HeadOrder.Part.Content(items: items, groups: groups)
  }
}
