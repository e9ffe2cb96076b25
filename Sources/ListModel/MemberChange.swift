/// A difference between two contents of one item, at the member where it lies.
public struct MemberChange: Equatable, Sendable {
  /// Empty when the contents as a whole differ, since one of them is not an object.
  public let path: JSONPointer
  /// Nil when the member came with the new content.
  public let old: Content?
  /// Nil when the member went with the old content.
  public let new: Content?

  public init(path: JSONPointer, old: Content?, new: Content?) {
    self.path = path
    self.old = old
    self.new = new
  }
}

extension Content {
  /// The members that differ, in canonical order; members of objects inside members one by one,
  /// arrays as a whole.
  ///
  /// - Complexity: O(bytes of both contents) for a bounded depth.
  public func memberChanges(to new: Content) -> [MemberChange] {
    var changes: [MemberChange] = []
    Self.compare(ContentView(self), ContentView(new), at: JSONPointer(tokens: []), into: &changes)
    return changes
  }

  private static func compare(
    _ old: ContentView, _ new: ContentView, at path: JSONPointer, into changes: inout [MemberChange]
  ) {
    guard old.kind == .object, new.kind == .object else {
      let (before, after) = (old.content, new.content)
      if before != after { changes.append(MemberChange(path: path, old: before, new: after)) }
      return
    }
    var (olds, news) = (old.members[...], new.members[...])
    while let name = smallestName(olds.first?.name, news.first?.name) {
      let oldValue = take(name, from: &olds)
      let newValue = take(name, from: &news)
      let place = path.appending(name)
      if let oldValue, let newValue {
        compare(oldValue, newValue, at: place, into: &changes)
      } else {
        changes.append(MemberChange(path: place, old: oldValue?.content, new: newValue?.content))
      }
    }
  }

  private static func smallestName(_ a: String?, _ b: String?) -> String? {
    guard let a, let b else { return a ?? b }
    return a.utf8.lexicographicallyPrecedes(b.utf8) ? a : b
  }

  private static func take(
    _ name: String, from members: inout ArraySlice<(name: String, value: ContentView)>
  ) -> ContentView? {
    guard let first = members.first, first.name.utf8.elementsEqual(name.utf8) else { return nil }
    members.removeFirst()
    return first.value
  }
}
