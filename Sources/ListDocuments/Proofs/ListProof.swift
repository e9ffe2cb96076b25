import ListModel

/// Shows that a list had an item at an index at a version, to somebody who has a cursor of the
/// list's history and nothing else.
///
///     {"format":"list-proof/1","list":"parks",
///      "item":{"id":"zion","index":3,"content":{…}},
///      "path":[
///      {"count":5,"position":3,"hashes":["…",…]},
///      {"count":1089,"position":5,"hashes":["…",…],"before":[{"count":30,"hashes":["…",…]},…]},…],
///      "headers":[
///      {"cursor":"7-…","version":7,"committed_at":"…","author":null,"message":null,"count":5,
///       "root":"…","previous":"…"},…]}
///
/// `path` has a group of the tree for each level (``/ListModel/Root``), from that of the items to
/// the top: the hashes of its elements, the place of the path among them, and the number of items
/// below. The groups `before` the path, or `after` it, prove the index, since a hash covers this
/// number. `headers` has the header of the version, and those of later versions up to the one of
/// the cursor.
///
/// The name of the list is not proved: the same history may have another name in another store.
public struct ListProof: Equatable, Sendable {
  public static let format = "list-proof/1"

  public let list: ListName
  public let item: Item
  public let index: Int
  /// The state of the version that has the item.
  public let state: ListState
  /// Those of the versions after it, in ascending order.
  public let laterStates: [ListState]
  let proof: ItemProof

  /// - Parameters:
  ///   - list: the name of the list.
  ///   - index: the index of the item.
  ///   - snapshot: the list at the version.
  ///   - states: the state of the version, and those of all later versions that a cursor may name,
  ///     each with its header.
  /// - Precondition: The snapshot has an item there, and there is a state.
  /// - Complexity: O(n) for n items, a SHA-256 for each.
  public init(_ list: ListName, itemAt index: Int, of snapshot: Snapshot, states: [ListState]) {
    (self.list, self.index, item) = (list, index, snapshot.items[index])
    (state, laterStates) = (states[0], Array(states.dropFirst()))
    proof = RootTree(of: snapshot.items).proof(ofItemAt: index)
  }

  /// Compares the proof with a cursor that the caller kept, or has from somebody it trusts.
  ///
  /// - Parameter cursor: one of the history, of the proof's last version; fewer digits than a full
  ///   one prove less.
  /// - Throws: `ProofError` of checking.
  /// - Complexity: O(l) hashes of groups for l levels, and one for each header.
  public func check(against cursor: Cursor) throws(ProofError) {
    let (index, count, root): (Int, Int, Root)
    do {
      (index, count, root) = try proof.place(of: item)
    } catch {
      throw .path(error)
    }
    guard root == state.root else { throw .wrongRoot(found: root, expected: state.root) }
    guard index == self.index else { throw .wrongIndex(stated: self.index, found: index) }
    guard count == state.count else { throw .wrongCount(stated: state.count, found: count) }
    var last = state
    for next in laterStates {
      guard next.header?.follows(last.knownCursor) == true, next.header?.previous == last.chain
      else { throw .wrongHistory(next.version) }
      last = next
    }
    guard cursor.names(last.knownCursor) else {
      throw .otherCursor(cursor, found: last.knownCursor)
    }
  }
}

/// Why a proof was refused.
public enum ProofError: Error, Equatable, Sendable {
  // When it is read.

  /// Thrown when the text is no such document; as for a delta document.
  case document(DeltaError)

  // When it is checked.

  /// Thrown when the hashes do not lead from the item to the top.
  case path(ItemProof.Contradiction)
  /// Thrown when they lead to another root than the version has.
  case wrongRoot(found: Root, expected: Root)
  case wrongIndex(stated: Int, found: Int)
  case wrongCount(stated: Int, found: Int)
  /// Thrown when a later version does not follow from the one before.
  case wrongHistory(Version)
  /// Thrown when the last header is not the one that the cursor names.
  case otherCursor(Cursor, found: Cursor)
}

extension ProofError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .document(let error): "\(error)"
    case .path(.element(1)): "the item is not the one whose hash the proof has"
    case .path(.element(let level)):
      "the group on level \(level) does not have the group below it"
    case .path(.neighbors(let level)):
      "the groups beside the path on level \(level) are not those of its group"
    case .path(.count(let level)): "the numbers of items on level \(level) contradict each other"
    case .wrongRoot(let found, let expected):
      "the hashes lead to the root \(found), and the version has \(expected)"
    case .wrongIndex(let stated, let found):
      "the item is at index \(found), and the proof says \(stated)"
    case .wrongCount(let stated, let found):
      "the version has \(found) items, and the proof says \(stated)"
    case .wrongHistory(let version):
      "version \(version) does not follow from the version before it"
    case .otherCursor(let cursor, let found):
      "the proof leads to \(found), and the cursor is \(cursor)"
    }
  }
}
