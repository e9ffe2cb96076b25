import ListDocuments
import ListModel
import SyncService

/// Short words of command lines and documents: a parsed word is written unchanged, or in an
/// equivalent form.
enum WordTarget {
  static func run(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    let accepted = [
      try checkCursor(text), try checkRevision(text), try checkTime(text), try checkNames(text),
      try checkPointer(text), try checkPeriod(text), try checkRule(text), try checkContent(text),
      try checkProofs(text), try checkLimits(text), try checkKeys(text), try checkNote(text),
    ]
    return accepted.contains(true)
  }

  private static func checkCursor(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let cursor = Cursor(text) else { return false }
    try expect(Cursor(cursor.description) == cursor, "cursor \(text)")
    return true
  }

  private static func checkRevision(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let revision = Revision(text) else { return false }
    let again = Revision(revision.description)
    // A date means its last moment.
    if case .date = revision {
      try expect(again?.description == revision.description, "revision \(text)")
    } else {
      try expect(again == revision, "revision \(text)")
    }
    return true
  }

  private static func checkTime(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let written = Timestamp.read(text) else { return false }
    for time in [written.start, written.end] {
      try expect(Timestamp.read(time.description) == .moment(time), "time \(text)")
    }
    return true
  }

  private static func checkNames(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    let (list, tag) = (ListName(text), TagName(text))
    for name in [list?.text, tag?.text].compactMap({ $0 }) {
      try expect(name.utf8.elementsEqual(text.utf8) && name.utf8.count <= 100, "name \(text)")
    }
    return list != nil || tag != nil
  }

  private static func checkPointer(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let pointer = JSONPointer(text) else { return false }
    try expect(pointer.description.utf8.elementsEqual(text.utf8), "pointer \(text)")
    return true
  }

  private static func checkKeys(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    let (key, secret) = (VerifierKey(text), SigningKey(text))
    if let key { try expect("\(key)" == text, "key \(text)") }
    if let secret { try expect(SigningKey(secret.secretText) != nil, "key \(text)") }
    return key != nil || secret != nil
  }

  private static func checkNote(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let head = SignedHead(note: text) else { return false }
    try expect(text.hasPrefix("list-head/1\n\(head.list)\n\(head.version)\n"), "note \(text)")
    return true
  }

  private static func checkPeriod(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let period = RetentionPeriod(text) else { return false }
    try expect(period.milliseconds > 0, "period \(text)")
    try expect(RetentionPeriod(period.description) == period, "period \(text)")
    return true
  }

  private static func checkRule(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let rule = try? IDRule([text]) else { return false }
    try expect(IDRule(text: rule.text) == rule, "id rule \(text)")
    return true
  }

  private static func checkContent(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let content = try? Content(json: text) else { return false }
    try expect((try? Content(json: content.description)) == content, "content \(text)")
    return true
  }

  private static func checkProofs(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    let (root, chain) = (Root(text), Chain(text))
    if let root { try expect(Root(root.description) == root, "root \(text)") }
    if let chain { try expect(Chain(chain.description) == chain, "chain \(text)") }
    return root != nil || chain != nil
  }

  private static func checkLimits(_ text: String) throws(FuzzTarget.Finding) -> Bool {
    guard let limits = try? Limits(environment: [Limit.depth.variable: text]) else { return false }
    try expect((1...512).contains(limits[.depth]), "limit \(text)")
    return true
  }
}
