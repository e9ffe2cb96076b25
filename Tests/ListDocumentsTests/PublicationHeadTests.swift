import ListDocuments
import ListModel
import TestSupport
import Testing

struct PublicationHeadTests {
  private func state(_ number: Int) -> ListState {
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 0), author: nil, message: "m")
    return ListState(
      VersionHeader(version: Version(number), note: note, root: .empty, previous: .zero), count: 0)
  }

  private func head(file: String = "whole/6-ab.json") -> PublicationHead {
    PublicationHead(
      list: ListName("parks")!, head: state(7), oldest: Version(2), base: 3,
      levels: [.init(count: 5, byteCount: 1930), .init(count: 1, byteCount: 560)],
      whole: .init(state(6), file: file, byteCount: 811))
  }

  @Test func aHeadIsReadAsItWasWritten() throws {
    #expect(try PublicationHead(head().encoded()) == head())
    let empty = PublicationHead(
      list: ListName("parks")!, head: .zero, oldest: .zero, base: 2, levels: [], whole: nil)
    #expect(try PublicationHead(empty.encoded()) == empty)
  }

  @Test(arguments: [
    "../parks/whole/6.json", "/etc/passwd", "whole//6.json", "whole/..", ".hidden", "", "a b",
    "http:x", "whole/6.json?x", "whole/é.json", "whole\\6.json",
  ])
  func aNameThatLeadsElsewhereIsRefused(name: String) {
    #expect(throws: DeltaError.self) { try PublicationHead(head(file: name).encoded()) }
  }

  @Test func theHeadOfAListThatIsGoneIsReadAsItWasWritten() throws {
    let list = try #require(ListName("parks"))
    for newName in [nil, ListName("forests")] {
      let end = PublicationEnd(
        list: list, leftAt: Timestamp(millisecondsSince1970: 1_000), newName: newName)
      #expect(try PublicationEnd(end.encoded()) == end)
      #expect(throws: DeltaError.self) { try PublicationHead(end.encoded()) }
    }
    #expect(try PublicationEnd(head().encoded()) == nil)
    for text in [
      #"{"format":"list-publication/1","list":"parks","gone":true}"#,
      #"{"format":"list-publication/1","list":"parks","gone":{"at":"2026"}}"#,
      #"{"format":"list-publication/1","gone":{"at":"2026-01-01T00:00:00Z"}}"#,
    ] {
      #expect(throws: DeltaError.self) { _ = try PublicationEnd(Array(text.utf8)) }
    }
  }

  @Test func aHeadThatContradictsItselfIsRefused() throws {
    let text = String(decoding: head().encoded(), as: UTF8.self)
    for (part, other) in [
      (#""oldest":2"#, #""oldest":8"#), (#""base":3"#, #""base":1"#),
      (#""base":3"#, #""base":100000"#), ("list-publication/1", "list-publication/2"),
      (#""version":7"#, #""version":8"#), (#""version":6"#, #""version":1"#),
      (#""count":5"#, #""count":-5"#),
    ] {
      #expect(text.contains(part))
      let bytes = Array(text.replacing(part, with: other).utf8)
      #expect(throws: DeltaError.self, "\(other)") { try PublicationHead(bytes) }
    }
  }

  @Test(arguments: [2, 3, 7]) func aWayLeadsThroughPublishedRangesAlone(base: Int) {
    for levelCount in 1...4 {
      let ranges = PublishedRanges(base: base, levelCount: levelCount)
      let published = (0..<levelCount).map { level in
        Set(PublishedRanges.all(ofLevel: level, base: base, from: Version(3), to: Version(60)))
      }
      for start in 3...60 {
        let way = ranges.way(from: Version(start), to: Version(60))
        #expect(way.allSatisfy { published[$0.level].contains($0) })
        #expect(([Version(start)] + way.map(\.end)).last == Version(60))
        #expect(zip(way, way.dropFirst()).allSatisfy { $0.end == $1.start })
      }
    }
  }
}
