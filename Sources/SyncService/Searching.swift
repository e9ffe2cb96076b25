import ListChanges
import ListModel
import ListStore

/// An item that holds a text, and the versions in which it does.
public struct SearchResult: Sendable {
  public let id: ItemID
  /// Where the newest of these versions has the text, and the value there; nil where only the id
  /// has it.
  public let member: (path: JSONPointer, value: Content)?
  /// The content in the newest of these versions.
  public let content: Content
  /// In ascending order, with gaps between them.
  public let versions: [ClosedRange<Version>]
}

extension SyncService {
  /// The items whose id, or any string or number in them, contains a text.
  ///
  /// - Parameters:
  ///   - text: compared byte by byte.
  ///   - ignoresCase: whether to compare lowercase forms instead.
  ///   - list: the name of the list.
  ///   - everywhere: whether to search all kept versions; else the head alone.
  /// - Returns: items of the head in its order, then former ones.
  /// - Throws: `ServiceError.noSuchList`.
  /// - Complexity: O(b) for the b bytes of the head's items; everywhere, of all kept contents.
  public func search(
    _ text: String, ignoresCase: Bool = false, in list: ListName, everywhere: Bool = false
  ) async throws -> [SearchResult] {
    try await store.read { reader in
      let list = try reader.existingList(list)
      guard list.head > .zero else { return [] }
      var search = Search(text: SearchedText(text, ignoresCase: ignoresCase), reader: reader)
      let head = try reader.storedItems(at: list.head, of: list)
      if everywhere {
        try search.begin(
          reader.storedItems(at: list.firstStep == Version(1) ? .zero : list.oldest, of: list),
          at: list.oldest)
        try reader.forEachBatch(of: list) { try search.go(through: $0) }
      } else {
        try search.begin(head, at: list.head)
      }
      search.end(head.map(\.id), before: list.head.next)
      return search.results(first: head.map(\.id))
    }
  }
}

/// A text to look for.
struct SearchedText {
  private let text: [UInt8]
  private let ignoresCase: Bool
  /// Whether canonical JSON writes the text as it is.
  private let isWrittenPlainly: Bool

  init(_ text: String, ignoresCase: Bool) {
    self.text = Array((ignoresCase ? text.lowercased() : text).utf8)
    self.ignoresCase = ignoresCase
    isWrittenPlainly = self.text.allSatisfy {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
  }

  func isIn(_ whole: String) -> Bool {
    var whole = ignoresCase ? whole.lowercased() : whole
    return whole.withUTF8 { contains($0) { $0 } }
  }

  /// Whether a content may hold the text: a look at its bytes, before they are parsed.
  func mayBeIn(_ content: Content) -> Bool {
    if !isWrittenPlainly { return true }
    return content.bytes.withUnsafeBufferPointer { bytes in
      if !ignoresCase { return contains(bytes) { $0 } }
      // The lowercase form of another letter may have other bytes, also those of ASCII.
      if bytes.contains(where: { $0 >= 0x80 }) { return true }
      return contains(bytes) { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      }
    }
  }

  private func contains(
    _ bytes: UnsafeBufferPointer<UInt8>, as form: (UInt8) -> UInt8
  ) -> Bool {
    guard let first = text.first else { return true }
    guard bytes.count >= text.count else { return false }
    return text.withUnsafeBufferPointer { text in
      (0...bytes.count - text.count).contains { start in
        form(bytes[start]) == first
          && (1..<max(text.count, 1)).allSatisfy { form(bytes[start + $0]) == text[$0] }
      }
    }
  }

  /// The first string or number that holds the text, in canonical order.
  ///
  /// - Parameter id: the item's id, which is passed over where a member repeats it.
  func place(
    in view: ContentView, besides id: ItemID
  ) -> (path: JSONPointer, value: Content)? {
    var tokens: [String] = []
    guard let value = value(in: view, at: &tokens, besides: id) else { return nil }
    return (JSONPointer(tokens: tokens.reversed()), value)
  }

  /// - Parameter tokens: the tokens of the path to the value, the last first.
  private func value(
    in view: ContentView, at tokens: inout [String], besides id: ItemID
  ) -> Content? {
    switch view.kind {
    case .object:
      for (name, member) in view.members {
        guard let value = value(in: member, at: &tokens, besides: id) else { continue }
        tokens.append(name)
        return value
      }
    case .array:
      for (index, element) in view.elements.enumerated() {
        guard let value = value(in: element, at: &tokens, besides: id) else { continue }
        tokens.append("\(index)")
        return value
      }
    default:
      if let text = view.scalarText, isIn(text), ItemID(text) != id { return view.content }
    }
    return nil
  }
}

/// The versions in which items hold a text.
private struct Search {
  struct Found {
    var content: Content
    var member: (path: JSONPointer, value: Content)?
    var versions: [ClosedRange<Version>] = []
    /// The first version of the range that has not ended.
    var start: Version?
  }

  let text: SearchedText
  let reader: ListReader
  var found: [ItemKey: Found] = [:]
  var ids: [ItemKey: ItemID] = [:]
  var order: [ItemKey] = []

  /// Looks into contents that items have from a version on.
  mutating func begin(_ stored: [StoredItem], at version: Version) throws {
    for start in stride(from: 0, to: stored.count, by: Self.batchCount) {
      try begin(batch: Array(stored[start...].prefix(Self.batchCount)), at: version)
    }
  }

  private static let batchCount = 1 << 16

  private mutating func begin(batch stored: [StoredItem], at version: Version) throws {
    try begin(stored[...], reader.checkedItems(stored, where: mayBeIn)[...], at: version)
  }

  private func mayBeIn(_ item: Item) -> Bool { text.mayBeIn(item.content) }

  /// Ends and begins contents as steps do. Their texts are read together.
  mutating func go(through steps: [Step]) throws {
    let stored = steps.map { $0.changes.inserted.map(\.element) + $0.changes.updated.map(\.new) }
    var items = try reader.checkedItems(stored.flatMap(\.self), where: mayBeIn)[...]
    for (step, stored) in zip(steps, stored) {
      end(step.changes.removed.map(\.element.id), before: step.version)
      end(step.changes.updated.map(\.old.id), before: step.version)
      begin(stored[...], items.prefix(stored.count), at: step.version)
      items = items.dropFirst(stored.count)
    }
  }

  private mutating func begin(
    _ stored: ArraySlice<StoredItem>, _ items: ArraySlice<Item>, at version: Version
  ) {
    for (key, item) in zip(stored, items) {
      let mayHold = text.mayBeIn(item.content)
      let member = mayHold ? text.place(in: ContentView(item.content), besides: item.id) : nil
      guard member != nil || text.isIn(item.id.text) else { continue }
      if found[key.id] == nil {
        order.append(key.id)
        ids[key.id] = item.id
      }
      found[key.id, default: Found(content: item.content)].content = item.content
      found[key.id]?.member = member
      found[key.id]?.start = version
    }
  }

  /// Ends the current contents of items before a version.
  mutating func end(_ keys: [ItemKey], before version: Version) {
    for key in keys {
      guard var entry = found[key], let start = entry.start else { continue }
      entry.start = nil
      let range = start...Version(version.number - 1)
      if let before = entry.versions.last, before.upperBound.next == start {
        entry.versions[entry.versions.count - 1] = before.lowerBound...range.upperBound
      } else {
        entry.versions.append(range)
      }
      found[key] = entry
    }
  }

  func results(first: [ItemKey]) -> [SearchResult] {
    let present = Set(first)
    return (first + order.filter { !present.contains($0) }).compactMap { key in
      guard let entry = found[key], let id = ids[key] else { return nil }
      return SearchResult(
        id: id, member: entry.member, content: entry.content, versions: entry.versions)
    }
  }
}
