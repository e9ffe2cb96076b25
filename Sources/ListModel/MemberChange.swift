/// A difference in one member between two contents of an item.
public struct MemberChange: Equatable, Sendable {
  /// Empty when the contents as a whole differ, since one of them is not an object.
  public let path: JSONPointer
  /// Nil when only the new content has the member.
  public let old: Content?
  /// Nil when only the old content has the member.
  public let new: Content?
}

extension Content {
  /// The differing members in canonical order; nested objects member by member, arrays as a whole.
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
      let oldValue = removeFirst(name, from: &olds)
      let newValue = removeFirst(name, from: &news)
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

  private static func removeFirst(
    _ name: String, from members: inout ArraySlice<(name: String, value: ContentView)>
  ) -> ContentView? {
    guard let first = members.first, first.name.utf8.elementsEqual(name.utf8) else { return nil }
    members.removeFirst()
    return first.value
  }
}
