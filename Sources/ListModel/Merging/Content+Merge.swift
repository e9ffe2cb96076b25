import ListChanges

extension Content {
  /// Merges this content, *mine*, into *theirs*; both were made of *base*.
  ///
  /// Members of objects are merged one by one, and objects in them likewise; every other value,
  /// arrays too, is one value. A change that only one side made is taken. Two different changes of
  /// one member are a conflict.
  ///
  /// Both directions have the same conflicts, and the same content if there are none.
  /// `MergeOracleTests` and `ContentMergeTests` hold these rules.
  ///
  /// - Parameters:
  ///   - theirs: the content of the other side.
  ///   - base: nil where both sides inserted the item.
  ///   - side: decides conflicts.
  /// - Returns: the merged content, and the conflicts ascending by path.
  /// - Complexity: O(bytes of the three contents) for a bounded depth.
  public func merged(
    into theirs: Content, base: Content?, preferring side: MergeSide
  ) -> (content: Content, conflicts: [MemberConflict]) {
    var merger = ContentMerger(side: side)
    guard let content = merger.merge(base, self, theirs, at: JSONPointer(tokens: [])) else {
      preconditionFailure("both sides have the content")
    }
    return (content, merger.conflicts)
  }
}

/// A member of a content that two sides of a merge changed in different ways.
public struct MemberConflict: Equatable, Sendable {
  /// Empty for the content as a whole.
  public let path: JSONPointer
  /// Each is nil where that content lacks the member.
  public let base: Content?
  public let mine: Content?
  public let theirs: Content?

  public init(path: JSONPointer, base: Content?, mine: Content?, theirs: Content?) {
    (self.path, self.base, self.mine, self.theirs) = (path, base, mine, theirs)
  }
}

private struct ContentMerger {
  let side: MergeSide
  private(set) var conflicts: [MemberConflict] = []

  init(side: MergeSide) { self.side = side }

  /// - Returns: nil where the merged content lacks the member.
  mutating func merge(
    _ base: Content?, _ mine: Content?, _ theirs: Content?, at path: JSONPointer
  ) -> Content? {
    if mine == theirs || mine == base { return theirs }
    if theirs == base { return mine }
    if let mine = mine?.object, let theirs = theirs?.object, base == nil || base?.object != nil {
      return mergeMembers(base?.object?.members ?? [], mine.members, theirs.members, at: path)
    }
    conflicts.append(MemberConflict(path: path, base: base, mine: mine, theirs: theirs))
    return side == .mine ? mine : theirs
  }

  private mutating func mergeMembers(
    _ base: ContentView.Members, _ mine: ContentView.Members, _ theirs: ContentView.Members,
    at path: JSONPointer
  ) -> Content {
    var olds = base[...]
    var bytes = [UInt8(ascii: "{")]
    for (name, mine, theirs) in ContentView.pairs(of: mine, theirs) {
      // A member that neither side has is gone.
      olds = olds.drop { $0.name.utf8.lexicographicallyPrecedes(name.utf8) }
      let old = olds.first.flatMap { $0.name.utf8.elementsEqual(name.utf8) ? $0.value : nil }
      let merged = merge(
        old?.content, mine?.content, theirs?.content, at: path.appending(name))
      guard let merged else { continue }
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      CanonicalString.append(quoted: name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes += merged.bytes
    }
    bytes.append(UInt8(ascii: "}"))
    return Content(canonicalBytes: bytes)
  }
}

extension Content {
  fileprivate var object: ContentView? {
    let view = ContentView(self)
    return view.kind == .object ? view : nil
  }
}
