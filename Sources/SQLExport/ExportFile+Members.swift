import ListDocuments
import ListModel
import RawSQLite

/// The top-level members of items as columns of the view `item_members`, and the types of their
/// values in the table `members`. The rows of `items` stay as they are.
extension ExportFile {
  /// The most columns of members. SQLite has at most 2000 in a view.
  private static let highestColumnCount = 1000

  /// Whether the export has columns of members.
  func hasMembers() throws -> Bool {
    try integer("SELECT 1 FROM sqlite_schema WHERE name = 'members'", []) != nil
  }

  /// A member by its bytes, and the name of its column.
  typealias MemberColumn = (name: [UInt8], column: String)

  /// The columns of the members of all lists, by the names of the members.
  func memberColumns() throws -> [MemberColumn] {
    var columns: [MemberColumn] = []
    guard try hasMembers() else { return columns }
    try run(
      """
      SELECT name, max(column_name) FROM members GROUP BY name HAVING max(column_name) IS NOT NULL
      ORDER BY name
      """, []
    ) { columns.append(($0.bytes(0), $0.text(1))) }
    return columns
  }

  /// Adds columns of members to an export without them.
  func addMembers() throws {
    if try hasMembers() { return }
    try run(
      """
      CREATE TABLE members (
        list TEXT NOT NULL, name TEXT NOT NULL, types TEXT NOT NULL, column_name TEXT,
        PRIMARY KEY (list, name)) WITHOUT ROWID
      """)
    try writeView()
  }

  /// Adds the members of a list's newest rows.
  ///
  /// - Parameter start: the newest version before; nil if there was none.
  func updateMembers(of list: ListName, after start: Version?) throws {
    let name = RawValue.text(list.text)
    // Names by their bytes, as ids are: to Swift, a composed letter equals a decomposed one.
    var found: [[UInt8]: Set<MemberType>] = [:]
    try run("SELECT name, types FROM members WHERE list = ?", [name]) { row in
      found[row.bytes(0)] = Set(
        row.text(1).split(separator: " ").compactMap { MemberType(rawValue: String($0)) })
    }
    let known = found
    // Members may be new to the export although the versions are not.
    let since = known.isEmpty ? 0 : start?.number ?? 0
    try run(
      "SELECT content FROM items WHERE list = ? AND since > ?", [name, .integer(Int64(since))]
    ) { row in
      for member in ContentView(Content(canonicalBytes: row.bytes(0))).members {
        found[Array(member.name.utf8), default: []].insert(MemberType(member.value))
      }
    }
    guard found != known else { return }
    for (member, types) in found where known[member] != types {
      let text = types.map(\.rawValue).sorted().joined(separator: " ")
      try run(
        """
        INSERT INTO members (list, name, types) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET types = excluded.types
        """, [name, .utf8(member), .text(text)])
    }
    try writeView()
  }

  /// Writes the view of the members of all lists. A member that two lists have is one column, and
  /// keeps its name when others come.
  private func writeView() throws {
    var members: [(name: String, isExact: Bool, column: String?)] = []
    try run(
      """
      SELECT name, ' ' || group_concat(types, ' ') || ' ' LIKE '% digits %', max(column_name)
      FROM members GROUP BY name ORDER BY max(column_name) IS NULL, name
      """, []
    ) { row in
      members.append((row.text(0), row.integer(1) == 0, row.isNull(2) ? nil : row.text(2)))
    }
    // SQLite gives no column the name of a literal.
    let others = ["list", "place", "since", "until", "id", "content", "true", "false"]
    var taken = Set((others + members.compactMap(\.column)).map(\.columnKey))
    var columns: [String] = []
    for (name, isExact, known) in members {
      var column = known
      if columns.count < Self.highestColumnCount, let path = Self.path(to: name) {
        var free = known ?? name
        while known == nil, !taken.insert(free.columnKey).inserted { free += "_" }
        columns.append("\(Self.expression(path, isExact)) AS \"\(free)\"")
        column = free
      }
      try run(
        "UPDATE members SET column_name = ?2 WHERE name = ?1",
        [.text(name), column.map(RawValue.text) ?? .null])
    }
    let all = (["list", "place", "since", "until", "id"] + columns + ["content"])
      .joined(separator: ",\n  ")
    try run("DROP VIEW IF EXISTS item_members")
    try run("CREATE VIEW item_members AS SELECT\n  \(all)\nFROM items")
  }

  /// The path to a member as a literal of SQL; nil for a name that a path cannot have.
  private static func path(to name: String) -> String? {
    // SQLite compares with the text of the JSON, so a name with escapes is never found.
    guard !name.isEmpty, CanonicalString.quoted(name).count == name.utf8.count + 2,
      !name.utf8.contains(0x7F)
    else { return nil }
    return "'$.\"\(name.replacing("'", with: "''"))\"'"
  }

  /// SQLite rounds a number that neither its integers nor its doubles have. Such a member keeps the
  /// digits of its numbers as text.
  private static func expression(_ path: String, _ isExact: Bool) -> String {
    if isExact { return "json_extract(content, \(path))" }
    return """
      CASE WHEN json_type(content, \(path)) IN ('integer', 'real') THEN content -> \(path) \
      ELSE json_extract(content, \(path)) END
      """
  }
}

/// The type of a value as SQLite reads it.
enum MemberType: String {
  case text, integer, real, boolean, null, object, array
  /// A number that SQLite would round.
  case digits

  init(_ value: ContentView) {
    switch value.kind {
    case .string: self = .text
    case .boolean: self = .boolean
    case .null: self = .null
    case .object: self = .object
    case .array: self = .array
    case .number: self = Self.type(ofNumber: value.scalarText ?? "")
    }
  }

  private static func type(ofNumber digits: String) -> MemberType {
    if Int64(digits) != nil { return .integer }
    // The shortest digits that name a double are those of its canonical number.
    guard let double = Double(digits), double.isFinite,
      let canonical = try? Content(json: "\(double)"), canonical.description == digits
    else { return .digits }
    return .real
  }
}

extension String {
  /// The name of a column as SQLite compares it: by its bytes, with ASCII letters in lower case.
  fileprivate var columnKey: [UInt8] { utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}
