import ListModel

/// A statement, signed by the owner of a key, that a list had a root and a chain at a version.
///
///     list-head/1
///     parks
///     7
///     a696d111a4e0a318bcc6f012758aa76a8e9c92c0bea73c34ba4733e08768331f
///     037fdfafb7bc6bcaa2da4ff48af5cd9b4a1d5dd3fa9f54ba5eb2c6dfed4afa21
///
///     — lists.example 3WNyVSDF…
///
/// The lines are the list, the version, the root and the chain. A sixth one is the key that takes
/// over from the others which sign. The form is C2SP's signed note.
public struct SignedHead: Equatable, Sendable {
  static let mark = "list-head/1"

  public let list: ListName
  public let version: Version
  public let root: Root
  public let chain: Chain
  /// The key that signs from now on; nil if none takes over.
  public let successor: VerifierKey?

  public var cursor: Cursor { Cursor(version: version, chain: chain) }

  /// Nil for a state whose chain is not known.
  init?(_ list: ListName, _ state: ListState, successor: VerifierKey?) {
    guard let chain = state.chain else { return nil }
    (self.list, version, root) = (list, state.version, state.root)
    (self.chain, self.successor) = (chain, successor)
  }

  /// Reads a note without checking its signatures; nil for another text.
  public init?(note: String) {
    guard let note = SignedNote(note) else { return nil }
    self.init(text: note.text)
  }

  fileprivate init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard (6...7).contains(lines.count), let list = ListName(lines[1]),
      let version = Version(text: lines[2]), version <= .highest, let root = Root(lines[3]),
      let chain = Chain(lines[4])
    else { return nil }
    successor = lines.count == 7 ? VerifierKey(lines[5]) : nil
    (self.list, self.version, self.root, self.chain) = (list, version, root, chain)
    // There is one text for each head.
    guard self.text == text else { return nil }
  }

  /// The lines that are signed.
  var text: String {
    ([Self.mark, list.text, "\(version)", "\(root)", "\(chain)"]
      + [successor?.description].compactMap { $0 }).map { $0 + "\n" }.joined()
  }

  /// Reads a note of a head, and checks that the key has signed it. A successor that the note names
  /// must have signed it too.
  ///
  /// - Throws: ``HeadRefusal``: `.falseSignature`, `.otherKey`.
  public init(note text: String, signedBy key: VerifierKey) throws(HeadRefusal) {
    guard let note = SignedNote(text), let head = SignedHead(text: note.text) else {
      let lines = text.utf8.contains(UInt8(ascii: "\r")) ? "; its lines must end with LF" : ""
      throw .falseSignature(reason: "it is not the note of a head\(lines)")
    }
    guard note.isSigned(by: key) != nil else {
      throw .otherKey(found: note.signatures.map(\.label), wanted: key)
    }
    for key in [key, head.successor].compactMap({ $0 }) where note.isSigned(by: key) != true {
      throw .falseSignature(reason: "it has no signature of \(key.label) that holds")
    }
    self = head
  }

  /// The note in a file, which is a note itself or a document with one; nil for other files.
  package static func note(in file: [UInt8]) -> String? {
    let text = String(decoding: file, as: UTF8.self)
    if file.starts(with: mark.utf8) { return text }
    guard let view = (try? Content(json: text)).map({ ContentView($0) }), view.kind == .object,
      let note = view.member("note"), note.kind == .string
    else { return nil }
    return note.scalarText
  }

  /// Whether it is the head of a state.
  public func isOf(_ state: ListState) -> Bool {
    state.version == version && state.root == root && state.chain == chain
  }
}

/// Signs heads with one key, or with several while one takes over.
public struct HeadSigner: Sendable {
  private let keys: [SigningKey]

  /// - Parameter keys: one or more. If they are several, the last one takes over.
  public init(_ keys: [SigningKey]) {
    precondition(!keys.isEmpty, "there is no key")
    self.keys = keys
  }

  /// The note of a state of a list; nil if its chain is not known.
  ///
  /// - Parameters:
  ///   - list: the list's name.
  ///   - state: the state of a version of the list.
  ///   - old: a note that is given again if it says the same, and the same keys have signed it. On
  ///     some systems, each signature of one text is another one.
  public func note(of list: ListName, at state: ListState, keeping old: String? = nil) -> String? {
    let successor = keys.count > 1 ? keys.last?.verifier : nil
    guard let text = SignedHead(list, state, successor: successor)?.text else { return nil }
    if let old, let note = SignedNote(old), note.text == text,
      note.signatures.count == keys.count,
      keys.allSatisfy({ note.isSigned(by: $0.verifier) ?? false })
    {
      return old
    }
    return SignedNote(text, signedBy: keys).description
  }
}
