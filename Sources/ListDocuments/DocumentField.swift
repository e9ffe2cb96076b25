import ListModel

/// A value of a document, or an absent one, with its place for errors.
struct DocumentField {
  /// Thrown when a value is missing, is not of the format, or exceeds a limit.
  struct Malformed: Error, Equatable {
    let place: JSONPointer
    let expected: String
    /// Nil when no limit is at fault.
    var exceeded: ExceededLimit?
  }

  let view: ContentView?
  /// A value around it, and the way from there: the index of an element, the name of a member in
  /// the value or in the element. The place is made of them for an error alone.
  private let around: JSONPointer
  private let index: Int?
  private let name: String?
  private let limits: Limits
  /// The members of the whole document, which has one long member: to look for each of the others
  /// would read it again.
  private var members: [String: ContentView]?

  /// A whole document.
  ///
  /// - Parameter limits: the limits of its lists, items and ids.
  init(_ content: Content, limits: Limits) {
    let view = ContentView(content)
    self.init(view, limits, in: JSONPointer(tokens: []))
    members = Dictionary(uniqueKeysWithValues: view.members.map { ($0.name, $0.value) })
  }

  private init(
    _ view: ContentView?, _ limits: Limits, in around: JSONPointer, _ index: Int? = nil,
    _ name: String? = nil
  ) {
    (self.view, self.around, self.index, self.name) = (view, around, index, name)
    self.limits = limits
  }

  var place: JSONPointer {
    JSONPointer(tokens: around.tokens + [index.map(String.init), name].compactMap(\.self))
  }

  subscript(_ name: String) -> DocumentField {
    let value = if let members { members[name] } else { view?.member(name) }
    return member(name, value)
  }

  private func member(_ name: String, _ value: ContentView?) -> DocumentField {
    self.name == nil
      ? DocumentField(value, limits, in: around, index, name)
      : DocumentField(value, limits, in: place, nil, name)
  }

  func malformed(_ expected: String) -> Malformed { Malformed(place: place, expected: expected) }

  /// Itself; nil when there is no such member.
  var ifPresent: DocumentField? { view == nil ? nil : self }

  /// Itself, whose numbers no limit bounds: a header counts items that nobody holds.
  var withoutLimits: DocumentField { DocumentField(view, .none, in: around, index, name) }

  /// Itself; nil when there is no such member or it is null.
  var ifNotNull: DocumentField? { view?.kind == .null ? nil : ifPresent }

  func map<T>(_ read: (DocumentField) throws(Malformed) -> T) throws(Malformed) -> [T] {
    guard let view, view.kind == .array else { throw malformed("an array") }
    let place = place
    var result: [T] = []
    for (index, element) in view.elements.enumerated() {
      result.append(try read(DocumentField(element, limits, in: place, index)))
    }
    return result
  }

  /// Requires a text of the format.
  func expect(_ text: String) throws(Malformed) {
    guard try string() == text else { throw malformed("\"\(text)\"") }
  }

  func string() throws(Malformed) -> String {
    guard let view, view.kind == .string, let text = view.scalarText else {
      throw malformed("a string")
    }
    return text
  }

  /// The value that a text stands for.
  func value<Value>(_ expected: String, _ read: (String) -> Value?) throws(Malformed) -> Value {
    guard let value = read(try string()) else { throw malformed(expected) }
    return value
  }

  func boolean() throws(Malformed) -> Bool {
    switch view?.kind == .boolean ? view?.content.description : nil {
    case "true": return true
    case "false": return false
    default: throw malformed("true or false")
    }
  }

  /// A whole number from 0 that every language has (P22).
  func index(upTo highest: Int = (1 << 53) - 1) throws(Malformed) -> Int {
    guard let view, view.kind == .number, let number = view.scalarText.flatMap({ Int($0) }),
      number >= 0
    else { throw malformed("a whole number from 0") }
    guard number <= highest else { throw malformed("a whole number up to \(highest)") }
    return number
  }

  /// The number of items in a list.
  func itemCount() throws(Malformed) -> Int {
    let count = try index()
    try check(count, .items)
    return count
  }

  func check(_ found: Int, _ limit: Limit) throws(Malformed) {
    do throws(ExceededLimit) {
      try limits.check(found, limit)
    } catch {
      throw Malformed(place: place, expected: "within its limit", exceeded: error)
    }
  }

  func id() throws(Malformed) -> ItemID {
    let text = try string()
    guard !text.isEmpty else { throw malformed("an id that is not empty") }
    try check(text.utf8.count, .idBytes)
    return ItemID(text)
  }

  func item() throws(Malformed) -> Item {
    // Looked up together: each search reads the content again.
    let members = view?.members ?? []
    func field(_ name: String) -> DocumentField {
      member(name, members.first { $0.name == name }?.value)
    }
    let content = try field("content").content()
    return Item(id: try field("id").id(), content: content)
  }

  /// The content of an item: any value.
  func content() throws(Malformed) -> Content {
    guard let content = view?.content else { throw malformed("a JSON value") }
    try check(content.bytes.count, .itemBytes)
    return content
  }

  func listName() throws(Malformed) -> ListName { try value(ListName.rule) { ListName($0) } }

  func root() throws(Malformed) -> Root { try value("64 hex digits") { Root($0) } }

  func cursor() throws(Malformed) -> Cursor {
    try value("a cursor such as 7-3f9a1c2b7d40c5e6918f20aa3b7714de") { Cursor($0) }
  }

  func chain() throws(Malformed) -> Chain { try value("64 hex digits") { Chain($0) } }

  func version() throws(Malformed) -> Version {
    Version(try self["version"].index(upTo: Version.highest.number))
  }

  func note() throws(Malformed) -> CommitNote {
    CommitNote(
      time: try self["committed_at"].moment(), author: try self["author"].ifNotNull?.string(),
      message: try self["message"].ifNotNull?.string())
  }

  /// A time in the form in which it is written (P12).
  func moment() throws(Malformed) -> Timestamp {
    let text = try string()
    guard case .moment(let time) = Timestamp.read(text), time.description == text else {
      throw malformed("a time such as 2026-11-21T11:37:00.250Z")
    }
    return time
  }

  func state() throws(Malformed) -> ListState {
    let root = try self["root"].root()
    return ListState(
      cursor: try self["cursor"].ifPresent?.cursor(), count: try self["count"].itemCount(),
      root: root)
  }

  /// A state of a store, whose header proves that its root belongs to its cursor. Version 0 has no
  /// header.
  func provenState() throws(Malformed) -> ListState {
    let (stated, version) = (try state(), try version())
    let cursor = try self["cursor"].cursor()
    if version == .zero {
      guard stated == .zero else { throw malformed("the empty list, as version 0 is") }
      return .zero
    }
    let previous = try self["previous"].chain()
    guard version > Version(1) || previous == .zero else {
      throw self["previous"].malformed("64 zeros, as version 0 has them")
    }
    let header = VersionHeader(
      version: version, note: try note(), root: stated.root, previous: previous)
    guard header.cursor == cursor else {
      throw self["cursor"].malformed("the cursor that follows from the members beside it")
    }
    return ListState(header, count: stated.count)
  }

  /// The end of changes: a proven state, or one without a cursor if two files were compared.
  func endState() throws(Malformed) -> ListState {
    self["cursor"].ifPresent == nil ? try state() : try provenState()
  }
}
