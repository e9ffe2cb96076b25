import ListModel

/// The heads of one list that are accepted from the owner of a key: the newest one so far, and the
/// key which signs the next.
public struct HeadTrust: Equatable, Sendable {
  /// The key that was given at first.
  public let given: VerifierKey
  /// The key that signs now: the one that was given, or one that took over.
  public private(set) var present: VerifierKey
  /// The newest head.
  public private(set) var head: SignedHead
  /// Its note, as it came.
  public private(set) var note: String

  /// Trusts a first head.
  ///
  /// - Throws: `HeadRefusal.falseSignature`, `.otherKey`, `.otherList`.
  public init(
    _ key: VerifierKey, _ note: String, of list: ListName, at state: ListState
  ) throws(HeadRefusal) {
    let head = try Self.head(key, note, list, state)
    (given, present) = (key, head.successor ?? key)
    (self.head, self.note) = (head, note)
  }

  /// The trust that was kept with a copy.
  ///
  /// - Parameters:
  ///   - given: the key that was given at first.
  ///   - present: the key that signs now.
  ///   - note: the note of the newest head.
  ///   - list: the list.
  ///   - state: that of the head.
  /// - Throws: as the first head.
  public init(
    given: VerifierKey, present: VerifierKey, note: String, of list: ListName, at state: ListState
  ) throws(HeadRefusal) {
    // The note in which a key takes over has signatures of both.
    head = try Self.head(present, note, list, state)
    (self.given, self.present, self.note) = (given, present, note)
  }

  /// Whether heads were accepted for a key, or for one from which it took over.
  public func isOf(_ key: VerifierKey) -> Bool { key == given || key == present }

  /// Accepts the head of a later state, or the same one again.
  ///
  /// - Throws: ``HeadRefusal``, except `.unsigned`; nothing has changed.
  public mutating func accept(_ note: String, at state: ListState) throws(HeadRefusal) {
    let new = try Self.head(present, note, head.list, state)
    guard new.version >= head.version else { throw .older(new.cursor, than: head.cursor) }
    guard new.version > head.version || new.chain == head.chain && new.root == head.root else {
      throw .forked(kept: self.note, found: note)
    }
    (present, head, self.note) = (new.successor ?? present, new, note)
  }

  private static func head(
    _ key: VerifierKey, _ note: String, _ list: ListName, _ state: ListState
  ) throws(HeadRefusal) -> SignedHead {
    let head = try SignedHead(note: note, signedBy: key)
    guard head.list == list else { throw .otherList(head.list) }
    guard head.isOf(state) else {
      throw .falseSignature(reason: "it is of \(head.cursor.short), and the list of another state")
    }
    return head
  }
}

/// The reason why a head is refused by a reader who has a key.
public enum HeadRefusal: Error, Equatable, Sendable {
  /// Nobody has signed it.
  case unsigned
  /// A signature does not hold, or is of another state.
  case falseSignature(reason: String)
  /// The key has not signed it; with those that have.
  case otherKey(found: [String], wanted: VerifierKey)
  case otherList(ListName)
  /// A newer one was accepted before.
  case older(Cursor, than: Cursor)
  /// The owner of the key has signed two histories. Both notes together prove it.
  case forked(kept: String, found: String)

  /// The reason as a word.
  public var kind: String {
    switch self {
    case .unsigned: "unsigned"
    case .falseSignature: "false-signature"
    case .otherKey: "other-key"
    case .otherList: "other-list"
    case .older: "older"
    case .forked: "forked"
    }
  }
}

extension HeadRefusal: CustomStringConvertible {
  public var description: String { "the head is refused (\(kind)): \(reason)" }

  private var reason: String {
    switch self {
    case .unsigned: "it has no signature"
    case .falseSignature(let reason): reason
    case .otherKey(let found, let wanted):
      "it is signed by \(found.joined(separator: ", ")), not by \(wanted.label)"
    case .otherList(let list): "it is of the list \(list)"
    case .older(let cursor, let newest):
      "it is \(cursor.short), and \(newest.short) was there before"
    case .forked(let kept, let found):
      [kept, found].compactMap { SignedHead(note: $0)?.cursor.short }.joined(separator: " and ")
        + " are both signed"
    }
  }
}
