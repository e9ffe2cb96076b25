import Testing

@testable import listsync

struct LikelySeparatorTests {
  private static func found(_ columns: String..., field: String) -> Character? {
    LikelySeparator.find(in: columns.map(\.utf8), field: field.utf8)
      .map { Character(Unicode.Scalar($0)) }
  }

  @Test func separatorThatCutsOutTheFieldIsFound() {
    #expect(Self.found("id;name", field: "id") == ";")
    #expect(Self.found("name|state", "id~x|code", field: "code") == "|")
    #expect(Self.found("id,name", field: "id") == ",")
    #expect(Self.found("a:id:b", field: "id") == ":")
  }

  @Test func headerOfOneColumnSuggestsACommonSeparator() {
    #expect(Self.found("code\tname", field: "id") == "\t")
    #expect(Self.found("code\tname", "x", field: "id") == nil)
    #expect(Self.found("code", field: "id") == nil)
  }

  // A former fault: '-' and ' ' were suggested.
  @Test func signsThatArePartOfNamesAreNoSeparators() {
    #expect(Self.found("park-code,", "first name", field: "code") == nil)
    #expect(Self.found("park code", field: "code") == nil)
    #expect(Self.found("park_code", field: "code") == nil)
  }

  /// A former fault: each sign of a header split the whole header, so 8,000 columns took minutes.
  @Test(arguments: [8_000, 800_000]) func onlyTheStartOfALongHeaderIsRead(columnCount: Int) {
    var readCount = 0
    let header = (0..<columnCount).map { "c-\($0)" }.joined(separator: ";")
    let bytes = Array(header.utf8).lazy.map {
      readCount += 1
      return $0
    }
    #expect(LikelySeparator.find(in: [bytes], field: "id".utf8) == UInt8(ascii: ";"))
    #expect(readCount <= 2 * LikelySeparator.readByteCount)
    readCount = 0
    #expect(LikelySeparator.find(in: [bytes, bytes, bytes], field: "id".utf8) == nil)
    #expect(readCount <= 2 * LikelySeparator.readByteCount)
  }
}
