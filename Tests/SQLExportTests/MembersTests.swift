import Foundation
import GRDB
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SQLExport

/// Columns of members.
struct MembersTests {
  @Test func eachTopLevelMemberIsAColumnOfItsValues() async throws {
    let exported = try Exported()
    try await exported.commitContents([#"{"id":"a","name":"A","rating":4.5,"size":7,"open":true}"#])
    try await exported.exportMembers()
    let row = try exported.members(of: "a")
    #expect(
      row == ["id_": "'a'", "name": "'A'", "rating": "4.5", "size": "7", "open": "1"])
    let types = [
      "id": "text", "name": "text", "open": "boolean", "rating": "real", "size": "integer",
    ]
    #expect(try exported.types() == types)
  }

  /// SQLite would round such a number; the content keeps it in any case.
  @Test(arguments: ["12345678901234567890", "0.1000000000000000000001", "1e400"])
  func aNumberThatSQLiteWouldRoundIsAText(_ digits: String) async throws {
    let exported = try Exported()
    try await exported.commitContents([#"{"id":"a","n":\#(digits)}"#, #"{"id":"b","n":12}"#])
    try await exported.exportMembers()
    let canonical = try Content(json: digits).description
    #expect(try exported.members(of: "a")["n"] == "'\(canonical)'")
    #expect(try exported.members(of: "b")["n"] == "'12'")
    #expect(try exported.types()["n"] == "digits integer")
  }

  @Test(arguments: ["1", "-9223372036854775808", "0.1", "1e300", "4.50", "1e21"])
  func aNumberThatSQLiteHasIsANumber(_ digits: String) async throws {
    let exported = try Exported()
    try await exported.commitContents([#"{"id":"a","n":\#(digits)}"#])
    try await exported.exportMembers()
    let found = try #require(try exported.members(of: "a")["n"])
    #expect(Double(found) == Double(digits))
    #expect(try exported.types()["n"] == (Int64(digits) == nil ? "real" : "integer"))
  }

  /// Names that SQL, or a path of SQLite, could read as something else.
  @Test func membersOfUnusualNamesAreColumnsOrStayInTheContent() async throws {
    let exported = try Exported()
    try await exported.commitContents([
      #"{"id":"a","Name":1,"name":2,"it's":3,"a.b":4,"[0]":5,"$":6,"é":7,"":8,"x\"y":9,"\\":10}"#
    ])
    try await exported.exportMembers()
    let row = try exported.members(of: "a")
    #expect(
      row == [
        "id_": "'a'", "Name": "1", "name_": "2", "it's": "3", "a.b": "4", "[0]": "5", "$": "6",
        "é": "7",
      ])
    let names = try exported.read {
      try String.fetchAll($0, sql: "SELECT name FROM members WHERE column_name IS NULL")
    }
    #expect(Set(names) == ["", "x\"y", "\\"])
  }

  /// To SQLite, a column named so would be a literal, and letters of either case are one name.
  @Test func aColumnKeepsItsNameWhenOthersCome() async throws {
    let exported = try Exported()
    try await exported.commitContents([#"{"id":"a","name":1,"true":2}"#])
    try await exported.exportMembers()
    #expect(try exported.members(of: "a") == ["id_": "'a'", "name": "1", "true_": "2"])
    try await exported.commitContents([#"{"id":"b","ID":3,"Name":4,"name":1,"true":2,"False":5}"#])
    try await exported.exportMembers()
    #expect(
      try exported.members(of: "b", since: 2) == [
        "id_": "'b'", "name": "1", "true_": "2", "ID__": "3", "Name_": "4", "False_": "5",
      ])
  }

  @Test func composedAndDecomposedLettersAreTwoMembers() async throws {
    let exported = try Exported()
    try await exported.commitContents([
      "{\"id\":\"a\",\"\u{e9}\":1}", "{\"id\":\"b\",\"e\u{301}\":\"two\"}",
    ])
    try await exported.exportMembers()
    let members = try exported.read {
      try String.fetchAll(
        $0, sql: "SELECT hex(name) || ' ' || types FROM members WHERE name <> 'id' ORDER BY 1")
    }
    #expect(members == ["65CC81 text", "C3A9 integer"])
    let values = try exported.read {
      try String.fetchAll(
        $0, sql: "SELECT coalesce(\"\u{e9}\", \"e\u{301}\") FROM item_members ORDER BY id")
    }
    #expect(values == ["1", "two"])
  }

  @Test func appendedVersionsBringTheirMembersAndListsShareColumns() async throws {
    let exported = try Exported()
    try await exported.commitContents([#"{"id":"a","n":1}"#])
    try await exported.exportMembers()
    try await exported.commitContents([#"{"id":"a","n":"one","m":2}"#])
    let films = try #require(ListName("films"))
    try await exported.commitContents(
      [#"{"id":"f","year":1999,"n":12345678901234567890}"#], to: films)
    // The export has members, so it keeps them.
    try await exported.export()
    try await exported.export(films)
    #expect(try exported.types()["n"] == "integer text")
    let row = try exported.members(of: "f")
    #expect(
      row == ["id_": "'f'", "year": "1999", "m": "NULL", "n": "'12345678901234567890'"])
    #expect(try exported.members(of: "a", since: 2)["m"] == "2")
  }

  @Test func itemsThatAreNoObjectsHaveNoMembers() async throws {
    let exported = try Exported()
    try await exported.commitContents([#""a""#])
    try await exported.exportMembers()
    #expect(try exported.members(of: "a").isEmpty)
    #expect(try exported.types().isEmpty)
  }

  /// A transaction ends in the middle, as a kill could end the export there.
  @Test func membersOfEachTransactionAreWrittenInIt() async throws {
    let exported = try Exported()
    for number in 1...5 { try await exported.commitContents([#"{"id":"a","m\#(number)":0}"#]) }
    let exporter = try HistoryExporter(
      exported.test.service, path: exported.path, hasMembers: true, busyTimeoutSeconds: 0,
      rowLimit: 2)
    struct Stop: Error {}
    _ = try? await exporter.export(.parks) { version in
      guard version == Version(5) else { return }
      let names = try? exported.types()
      #expect(names?.keys.sorted() == ["id", "m1", "m2", "m3", "m4"])
    }
    #expect(try exported.types().count == 6)
  }
}

/// The rows as text.
struct RowFormatTests {
  private static let texts = [
    #"{"id":"a","t":"one, \"two\"\nthree"}"#, #"{"id":"b","n":12345678901234567890}"#,
  ]

  @Test func linesOfJSONHaveTheRowsWithTheirContents() async throws {
    let text = try await Self.text(.ndjson)
    #expect(
      text == """
        {"list":"parks","place":1048576,"since":1,"until":4294967295,"id":"a",\
        "content":{"id":"a","t":"one, \\"two\\"\\nthree"}}
        {"list":"parks","place":2097152,"since":1,"until":4294967295,"id":"b",\
        "content":{"id":"b","n":12345678901234567890}}

        """)
  }

  @Test func cellsAreQuotedAsInRFC4180() async throws {
    let text = try await Self.text(.csv)
    #expect(
      text == """
        list,place,since,until,id,content
        parks,1048576,1,4294967295,a,"{""id"":""a"",""t"":""one, \\""two\\""\\nthree""}"
        parks,2097152,1,4294967295,b,"{""id"":""b"",""n"":12345678901234567890}"

        """)
  }

  @Test func membersAreColumnsBeforeTheContent() async throws {
    #expect(
      try await Self.text(.ndjson, hasMembers: true) == """
        {"list":"parks","place":1048576,"since":1,"until":4294967295,"id":"a","id_":"a",\
        "t":"one, \\"two\\"\\nthree","content":{"id":"a","t":"one, \\"two\\"\\nthree"}}
        {"list":"parks","place":2097152,"since":1,"until":4294967295,"id":"b","id_":"b",\
        "n":12345678901234567890,"content":{"id":"b","n":12345678901234567890}}

        """)
    #expect(
      try await Self.text(.csv, hasMembers: true) == """
        list,place,since,until,id,id_,n,t,content
        parks,1048576,1,4294967295,a,a,,"one, ""two""
        three","{""id"":""a"",""t"":""one, \\""two\\""\\nthree""}"
        parks,2097152,1,4294967295,b,b,12345678901234567890,,\
        "{""id"":""b"",""n"":12345678901234567890}"

        """)
  }

  private static func text(_ format: RowFormat, hasMembers: Bool = false) async throws -> String {
    let exported = try Exported()
    try await exported.commitContents(texts)
    let exporter = try HistoryExporter(
      exported.test.service, path: nil, hasMembers: hasMembers, busyTimeoutSeconds: 0)
    _ = try await exporter.export(.parks)
    var bytes: [UInt8] = []
    try exporter.write([.parks], as: format) { bytes += $0 }
    #expect(!FileManager.default.fileExists(atPath: exported.path))
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Exported {
  /// Commits items of whole contents, whose id is the member `id` or the text itself.
  fileprivate func commitContents(_ contents: [String], to list: ListName = .parks) async throws {
    let items = try contents.map { text in
      let content = try Content(json: text)
      let id = ContentView(content).member("id") ?? ContentView(content)
      return Item(id: ItemID(id.scalarText ?? ""), content: content)
    }
    _ = try await test.service.commit(CommitRequest(list: list, snapshot: Snapshot(items)))
  }

  fileprivate func exportMembers() async throws {
    _ = try await HistoryExporter(
      test.service, path: path, hasMembers: true, busyTimeoutSeconds: 0
    ).export(.parks)
  }

  /// The columns of members as literals of SQL.
  fileprivate func members(of id: String, since: Int = 1) throws -> [String: String] {
    try read { db in
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM item_members WHERE id = ? AND since = ?", arguments: [id, since])
      let own: Set = ["list", "place", "since", "until", "id", "content"]
      let values = try #require(row).filter { !own.contains($0.0) }
      return try Dictionary(
        uniqueKeysWithValues: values.map { name, value in
          (name, try String.fetchOne(db, sql: "SELECT quote(?)", arguments: [value]) ?? "")
        })
    }
  }

  fileprivate func types() throws -> [String: String] {
    let rows = try read { db in
      try Row.fetchAll(db, sql: "SELECT name, types FROM members WHERE list = 'parks'")
    }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }
}
