/// A difference in one member between two contents of an item.
public struct MemberChange: Equatable, Sendable {
  /// Empty when the contents as a whole differ, since one of them is not an object.
  public let path: JSONPointer
  /// Nil when only the new content has the member.
  public let old: Content?
  /// Nil when only the old content has the member.
  public let new: Content?

  public init(path: JSONPointer, old: Content?, new: Content?) {
    (self.path, self.old, self.new) = (path, old, new)
  }
}

/// Which members of an item a query is about.
public struct MemberFilter: Equatable, Sendable {
  /// Only these members and what they hold; all if empty.
  public var only: [JSONPointer]
  /// None of these members, nor what they hold.
  public var ignored: [JSONPointer]

  public init(only: [JSONPointer] = [], ignored: [JSONPointer] = []) {
    (self.only, self.ignored) = (only, ignored)
  }
}

extension Content {
  /// The differing members in canonical order; nested objects member by member, arrays as a whole.
  ///
  /// - Parameters:
  ///   - new: the new content.
  ///   - filter: which members are compared.
  /// - Complexity: O(bytes of both contents) for a bounded depth.
  public func memberChanges(
    to new: Content, _ filter: MemberFilter = MemberFilter()
  ) -> [MemberChange] {
    var changes: [MemberChange] = []
    let (before, after) = (ContentView(self), ContentView(new))
    for path in filter.only.isEmpty ? [JSONPointer(tokens: [])] : filter.only {
      Self.compare(before.value(at: path), after.value(at: path), at: path, into: &changes)
    }
    return changes.filter { change in !filter.ignored.contains { $0.holds(change.path) } }
  }

  private static func compare(
    _ old: ContentView?, _ new: ContentView?, at path: JSONPointer,
    into changes: inout [MemberChange]
  ) {
    if let old, let new {
      compare(old, new, at: path, into: &changes)
    } else if old != nil || new != nil {
      changes.append(MemberChange(path: path, old: old?.content, new: new?.content))
    }
  }

  private static func compare(
    _ old: ContentView, _ new: ContentView, at path: JSONPointer, into changes: inout [MemberChange]
  ) {
    guard old.kind == .object, new.kind == .object else {
      let (before, after) = (old.content, new.content)
      if before != after { changes.append(MemberChange(path: path, old: before, new: after)) }
      return
    }
    for (name, oldValue, newValue) in ContentView.pairs(of: old.members, new.members) {
      let place = path.appending(name)
      compare(oldValue, newValue, at: place, into: &changes)
    }
  }
}

extension ContentView {
  package typealias Members = [(name: String, value: ContentView)]

  /// The members of two objects, paired by name, in canonical order. One of the values is nil where
  /// only the other object has the member.
  ///
  /// - Complexity: O(members).
  package static func pairs(
    of olds: Members, _ news: Members
  ) -> [(name: String, old: ContentView?, new: ContentView?)] {
    var (olds, news) = (olds[...], news[...])
    var pairs: [(name: String, old: ContentView?, new: ContentView?)] = []
    while let name = smallestName(olds.first?.name, news.first?.name) {
      pairs.append((name, removeFirst(name, from: &olds), removeFirst(name, from: &news)))
    }
    return pairs
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
