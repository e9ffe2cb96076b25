/// What may be done with a list.
public enum AccessRight: String, CaseIterable, Sendable {
  case read
  /// To commit to the list, and to read it.
  case write

  public func includes(_ other: AccessRight) -> Bool { self == .write || other == .read }
}

/// A right to some lists.
public struct AccessGrant: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let right: AccessRight
  public let lists: ListPattern

  public init(_ right: AccessRight, _ lists: ListPattern) {
    self.right = right
    self.lists = lists
  }

  public func allows(_ right: AccessRight, to list: ListName) -> Bool {
    self.right.includes(right) && lists.matches(list)
  }

  /// By lists, and for the same ones `read` first.
  public static func < (a: AccessGrant, b: AccessGrant) -> Bool {
    a.lists == b.lists ? !a.right.includes(b.right) : a.lists < b.lists
  }

  /// `write team-*`.
  public var description: String { "\(right.rawValue) \(lists)" }
}
