/// 32 bytes that prove a list: same items, same order, same content. Two lists with one root cannot
/// be found.
///
/// It is the SHA-256 at the top of a tree over the items (`list-root/1`):
///
///     hash of an item  = SHA-256( %x00, length of the id in 4 bytes, id, canonical content )
///     hash of a group  = SHA-256( its level in 1 byte, the number of items below it in 8 bytes,
///                                 hashes of its elements )
///
/// Numbers are little-endian. Level 0 is the hashes of the items in order. A level is divided into
/// groups: a group ends after its 256th element; after any element but its first whose hash's first
/// byte has five zero low bits; and at the end of the level. The hashes of the groups are the
/// elements of the next level. The root is the hash of the first level that has one group, of the
/// empty list that of a group without elements.
///
/// So the tree depends on the list alone, and not on how it came about. A change of an item changes
/// about 33 elements on each of log(n) levels.
public struct Root: Hashable, Sendable, CustomStringConvertible {
  /// The root of the empty list.
  public static let empty = RootTree.empty.root

  package let hash: TreeHash

  package init(_ hash: TreeHash) { self.hash = hash }

  /// - Complexity: O(n) for n items, a SHA-256 for each, on all cores.
  public init(of snapshot: Snapshot) {
    self = (snapshot.tree ?? RootTree(of: snapshot.items)).root
  }
}

extension Root {
  public static let byteCount = TreeHash.byteCount

  /// 32 bytes: the stored form.
  public var bytes: [UInt8] { hash.bytes }

  /// Nil unless there are 32 bytes.
  public init?(bytes: [UInt8]) {
    guard let hash = TreeHash(bytes: bytes) else { return nil }
    self.hash = hash
  }

  /// 64 lower-case hex digits: the written form.
  public var description: String { Hex.encode(bytes) }

  /// Reads the written form; nil unless the text is 64 hex digits.
  public init?(_ text: String) {
    guard let bytes = Hex.decode(text) else { return nil }
    self.init(bytes: bytes)
  }
}
