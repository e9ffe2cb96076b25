import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

@Suite struct CSVSnapshotTests {
  private func contents(_ text: String, separator: Unicode.Scalar? = nil) throws -> [String] {
    try read(text, as: .csv, separator: separator).contents
  }

  @Test func cellsBecomeStringMembersNamedByTheHeader() throws {
    #expect(
      try contents("id,name,size\nz,Zion,1.0\na,\"A \"\"B\"\"\",\n") == [
        #"{"id":"z","name":"Zion","size":"1.0"}"#, #"{"id":"a","name":"A \"B\"","size":""}"#,
      ])
  }

  @Test func membersAreInCanonicalOrder() throws {
    let expected = [#"{"B":"3","a":"2","aa":"6","b":"1","id":"x","é":"5","😀":"4"}"#]
    #expect(try contents("b,a,B,😀,é,aa,id\n1,2,3,4,5,6,x\n") == expected)
    #expect(try expected == expected.map { try Content(json: $0).description })
  }

  @Test func namesAndCellsAreEscaped() throws {
    let text = "id,\"a\"\"b\\\",\"c\n\"\nx,\"1\n\t\",\\\n"
    #expect(try contents(text) == [#"{"a\"b\\":"1\n\t","c\n":"\\","id":"x"}"#])
  }

  @Test(arguments: ["\t", ";"] as [Unicode.Scalar])
  func readerAcceptsOtherSeparators(separator: Unicode.Scalar) throws {
    let text = "id\(separator)n\nx\(separator)\"1,\(separator)2\"\n"
    let cell = separator == "\t" ? #"1,\t2"# : "1,;2"
    #expect(try contents(text, separator: separator) == [#"{"id":"x","n":"\#(cell)"}"#])
  }

  @Test func tabsSeparateTheCellsOfATSVFile() throws {
    let file = try read("id\tn,m\nx\t1,2\n", fileName: "a.tsv")
    #expect(file.contents == [#"{"id":"x","n,m":"1,2"}"#])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func readerAcceptsAByteOrderMarkAndAnyLineEnd(end: String) throws {
    let text = "\u{FEFF}id,n\(end)x,1\(end)\(end)y,\"2\(end)3\"\(end)"
    let inside = ["\n": #"\n"#, "\r\n": #"\r\n"#, "\r": #"\r"#][end] ?? ""
    #expect(try contents(text) == [#"{"id":"x","n":"1"}"#, #"{"id":"y","n":"2\#(inside)3"}"#])
  }

  // MARK: Ragged rows

  @Test(arguments: [
    // Short rows: missing cells are absent, not empty.
    ("id,a,b\nx,1\n", #"{"a":"1","id":"x"}"#),
    ("id,a,b\nx\n", #"{"id":"x"}"#),
    ("id,a,b\nx,,\n", #"{"a":"","b":"","id":"x"}"#),
    ("b,a,id,c\n1,2,x\n", #"{"a":"2","b":"1","id":"x"}"#),
    // Long rows: the additional cells in order.
    ("id,a\nx,1,2\n", #"{"":["2"],"a":"1","id":"x"}"#),
    ("id,a\nx,1,2,,3\n", #"{"":["2","","3"],"a":"1","id":"x"}"#),
    ("id\nx,\n", #"{"":[""],"id":"x"}"#),
    // Columns without a name, alone and with additional cells.
    ("id,,a,\nx,1,2,3\n", #"{"":["1","3"],"a":"2","id":"x"}"#),
    (",id\n1,x\n", #"{"":["1"],"id":"x"}"#),
    ("id,\"\"\nx,1\n", #"{"":["1"],"id":"x"}"#),
    ("id,,a,\nx,1,2,3,\"4\"\"\"\n", #"{"":["1","3","4\""],"a":"2","id":"x"}"#),
    ("id,,a,\nx,1\n", #"{"":["1"],"id":"x"}"#),
    ("id,,a,\nx\n", #"{"id":"x"}"#),
    ("id, \nx,1\n", #"{" ":"1","id":"x"}"#),
  ])
  func rowsOfUnequalLengthAreKeptUnchanged(text: String, expected: String) throws {
    #expect(try contents(text) == [expected])
  }

  @Test func rowTooShortForTheIDColumnHasNoID() {
    guard case .noID(let samples, 1) = refusal(of: "a,id\n1,x\n2\n".utf8) else {
      Issue.record("not refused for its missing id")
      return
    }
    #expect(samples.map(\.index) == [1])
    #expect(samples.map(\.failure) == [.missing(field: "id")])
    #expect(samples.map(\.members) == [["a"]])
    #expect(samples.map(\.position.description) == ["line 3, column 1"])
  }

  @Test func raggedRowsAreNoticedWithTheirLines() throws {
    let text = "id,a,b\n" + (1...7).map { "x\($0),1\n" }.joined() + "y,1,2\nz,1,2,3\n"
    let notices = try read(text, as: .csv).notices
    #expect(notices.shortRows.lines == [2, 3, 4, 5, 6] && notices.shortRows.count == 7)
    #expect(notices.longRows.lines == [10] && notices.longRows.count == 1)
    #expect(
      notices.lines == [
        "7 rows have fewer cells than the header: their other members are absent "
          + "(lines 2, 3, 4, 5, 6, …)",
        "1 row has more cells than the header: these are an array under the empty name (line 10)",
      ])
  }

  @Test(arguments: [("x,1\n", 2), ("x,1,2,3\n", 4)])
  func raggedRowIsRefusedIfAsked(row: String, count: Int) {
    var options = SnapshotOptions(format: .csv)
    options.refusesRaggedRows = true
    let text = "id,a,b\ny,1,2\n\(row)"
    #expect(
      refusal(of: text.utf8, options: options)
        == .csv(.raggedRow(count, of: 3), at: TextPosition(offset: 13, in: Array(text.utf8))))
  }

  @Test func quoteAfterABlankIsNoticed() throws {
    let file = try read("id,a\nx, \"1\"\ny,\"1\"\nz, 1\"\n", as: .csv)
    #expect(file.contents.first == #"{"a":" \"1\"","id":"x"}"#)
    #expect(file.notices.latelyQuotedRows.lines == [2])
  }

  // MARK: Cut files

  @Test func tableCutAtAnyByteIsRefusedOrNoticed() throws {
    let text = Array("id,name,note\nzion,Zion,\"red, and\nwhite\"\narches,Arches,é\n".utf8)
    var accepted = 0
    for count in 1..<text.count where text[count - 1] != 0x0A {
      let options = SnapshotOptions(format: .csv)
      do {
        let file = try SnapshotReader(options: options).read(Array(text.prefix(count)))
        #expect(file.notices.endsInsideLine, "\(count) bytes")
        accepted += 1
      } catch {
        continue
      }
    }
    // Cut inside the last cell of a row, or inside the header behind its first column.
    #expect(accepted == 15)
  }

  @Test func tableThatEndsInsideARowIsAcceptedIfAsked() throws {
    var options = SnapshotOptions(format: .csv)
    let text = Array("id,a\nx,1\ny".utf8)
    #expect(
      refusal(of: text, options: options)
        == .csv(.cutRow(1, of: 2), at: TextPosition(offset: 9, in: text)))
    options.acceptsCutFile = true
    let file = try SnapshotReader(options: options).read(text)
    #expect(file.contents.last == #"{"id":"y"}"#)
    #expect(file.notices.shortRows.lines == [3])
  }

  // MARK: Other programs' tables

  @Test(arguments: ["sep=;\nid;a\nx;1\n", "\u{FEFF}sep=;\r\nid;a\r\nx;1\r\n"])
  func firstLineMayNameTheSeparator(text: String) throws {
    #expect(try contents(text) == [#"{"a":"1","id":"x"}"#])
  }

  // MARK: Headers

  @Test(arguments: ["id,name\n", "id,name", "\nid\n\n", "\u{FEFF}id\r\n"])
  func headerWithoutRowsIsTheEmptyList(text: String) throws {
    #expect(try read(text, as: .csv).snapshot == .empty)
  }

  @Test(arguments: [
    ("id,a,b,a\nx\n", "a", 1, 3, "line 1, column 1"),
    ("a,id,a,a\n", "a", 0, 2, "line 1, column 1"),
    ("id,id\n", "id", 0, 1, "line 1, column 1"),
    ("id,é,\"é\"\n", "é", 1, 2, "line 1, column 1"),
    // The header is the first line that is not blank, after a byte order mark.
    ("\n\r\nid,id\n", "id", 0, 1, "line 3, column 1"),
    ("\u{FEFF}id,id\n", "id", 0, 1, "line 1, column 1"),
  ])
  func duplicateColumnNameIsRefusedWithBothColumnNumbers(
    text: String, name: String, first: Int, second: Int, place: String
  ) {
    let error = refusal(of: text.utf8, options: SnapshotOptions(format: .csv))
    guard case .csv(let problem, let position) = error else {
      Issue.record("not refused for its columns: \(String(describing: error))")
      return
    }
    #expect(problem == .duplicateColumn(name, first: first, second: second))
    #expect(position.description == place)
  }

  @Test func columnNamesThatOnlyLookEqualAreTwoColumns() throws {
    let cells = try contents("id,\u{E9},e\u{301},Id\nx,1,2,3\n")
    let expected = "{\"Id\":\"3\",\"e\u{301}\":\"2\",\"id\":\"x\",\"\u{E9}\":\"1\"}"
    // Swift strings can be equal although their bytes differ.
    #expect(cells.map { Array($0.utf8) } == [Array(expected.utf8)])
  }

  @Test(arguments: [
    (["id"], "ID,name\nx,y\n", "id", ["ID", "name"]),
    (["id"], "name,,size\n", "id", ["name", "", "size"]),
    (["a", "b"], "a,c\n", "b", ["a", "c"]),
    (["a|b"], "c\n", "a|b", ["c"]),
    (["/a/b"], "c\n", "/a/b", ["c"]),
    (["\u{E9}"], "e\u{301}\n", "\u{E9}", ["e\u{301}"]),
    // A row is never a bare string, so a line of text is no header of an empty list.
    (["."], "yellowstone\n", ".", ["yellowstone"]),
    (["."], "a,b\n1,2\n", ".", ["a", "b"]),
  ])
  func missingIDColumnErrorListsTheExistingColumns(
    rule: [String], text: String, field: String, columns: [String]
  ) throws {
    #expect(throws: SnapshotError.noIDColumn(field: field, columns: columns)) {
      try read(text, as: .csv, id: IDRule(rule))
    }
  }

  @Test func idRuleMayNameAlternativeOrSeveralColumns() throws {
    #expect(try read("Link,n\nx,1\n", id: IDRule(["link|Link"])).ids == ["x"])
    let compound = try IDRule(["title", "year"])
    #expect(try read("title,year\nHeat,1995\n", id: compound).ids == ["Heat\u{1F}1995"])
    // Cells are strings: 1 and 1.0 are two ids here.
    #expect(try read("id\n1\n1.0\n").ids == ["1", "1.0"])
  }

  // MARK: Refused text

  @Test func textErrorsHaveTheirLineAndColumn() {
    let cases: [([UInt8], SnapshotError.CSVFailure, String)] = [
      (Array("id,n\nx,\"1\ny,2\n".utf8), .unclosedQuote, "line 2, column 3"),
      (Array("id,n\né,\"1\" \n".utf8), .textAfterQuote, "line 2, column 6"),
      (Array("id,n\né,".utf8) + [0xFF, 0x0A], .notUTF8, "line 2, column 3"),
      (Array("id,\"n\n".utf8), .unclosedQuote, "line 1, column 4"),
      (Array("id,n\rx,1\ry,\"".utf8), .unclosedQuote, "line 3, column 3"),
    ]
    for (bytes, expected, place) in cases {
      let error = refusal(of: bytes, options: SnapshotOptions(format: .csv))
      guard case .csv(let problem, let position) = error else {
        Issue.record("not refused as \(expected): \(String(describing: error))")
        continue
      }
      #expect(problem == expected)
      #expect(position.description == place)
    }
  }

  // MARK: Round trip

  @Test func readerRestoresRandomTables() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<500 {
      let table = Table(random: &random)
      let note: Comment = "seed \(random.seed), round \(round)"
      var options = SnapshotOptions(format: .csv, separator: table.separator)
      options.acceptsCutFile = true
      let file = try SnapshotReader(options: options).read(table.written(random: &random))
      let expected = table.rows.indices.map { table.members(ofRow: $0) }
      let found = try file.snapshot.items.map { item in
        let value = try JSONSerialization.jsonObject(with: Data(item.content.bytes))
        return try #require(value as? [String: NSObject], note)
      }
      #expect(found == expected, note)
      #expect(file.ids == table.ids, note)
      for content in file.contents { #expect(try Content(json: content).description == content) }
    }
  }
}

/// A table with ragged rows, and a writer that is independent of the reader.
private struct Table {
  static let pieces = [
    "a", "B", "7", " ", "é", "😀", "\"", ",", ";", "\t", "\n", "\r", "\\", "\u{1}",
  ]

  let separator: UInt8
  private let lineEnd: String
  /// The empty name any number of times, every other name at most once.
  private let header: [String]
  private(set) var rows: [[String]] = []
  private(set) var ids: [String] = []

  init(random: inout SeededRandom) {
    func text() -> String {
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Self.pieces.randomElement(using: &random) ?? ""
      }.joined()
    }
    separator = [",", ";", "\t"].randomElement(using: &random).map { UInt8(ascii: $0) } ?? 0
    lineEnd = ["\n", "\r\n", "\r"].randomElement(using: &random) ?? ""
    let names = (0..<Int.random(in: 0...5, using: &random)).map { number in
      let name = text()
      return name.isEmpty ? "" : "\(name)\(number)"
    }
    header = (["id"] + names).shuffled(using: &random)
    let idColumn = header.firstIndex(of: "id") ?? 0
    for number in 0..<Int.random(in: 0...6, using: &random) {
      let count = Int.random(in: idColumn + 1...header.count + 2, using: &random)
      var row = (0..<count).map { _ in text() }
      row[idColumn] += "\(number)"
      rows.append(row)
      ids.append(row[idColumn])
    }
  }

  func members(ofRow index: Int) -> [String: NSObject] {
    var members: [String: NSObject] = [:]
    var unnamed: [String] = []
    for (column, cell) in rows[index].enumerated() {
      if column < header.count, !header[column].isEmpty {
        members[header[column]] = NSString(string: cell)
      } else {
        unnamed.append(cell)
      }
    }
    if !unnamed.isEmpty { members[""] = unnamed.map { NSString(string: $0) } as NSArray }
    return members
  }

  /// Quotes where they are needed, and sometimes elsewhere.
  func written(random: inout SeededRandom) -> [UInt8] {
    func cell(_ text: String) -> String {
      let special = text.utf8.contains { [separator, 0x0A, 0x0D, 0x22].contains($0) }
      guard special || Int.random(in: 0..<4, using: &random) == 0 else { return text }
      return "\"" + text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
    let between = String(UnicodeScalar(separator))
    let lines = ([header] + rows).map { $0.map { cell($0) }.joined(separator: between) }
    let end = Bool.random(using: &random) ? lineEnd : ""
    return Array((lines.joined(separator: lineEnd) + end).utf8)
  }
}
