import ListDocuments
import ListModel
import Testing

@Suite struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func writerPutsNoCommaInEmptyContainers() {
    #expect(written { $0.object { _ in } } == "{}")
    #expect(written { $0.array { _ in } } == "[]")
  }

  @Test func writerPutsCommasOnlyBetweenElements() {
    let text = written { writer in
      writer.array { writer in
        writer.string("a")
        writer.raw("1")
        writer.array { _ in }
        writer.object { _ in }
        writer.raw("null")
      }
    }
    #expect(text == #"["a",1,[],{},null]"#)
  }

  @Test func writerSeparatesMembersOfEveryKind() throws {
    let content = try Content(json: #" {"b": [1.0], "a": "x"} "#)
    let text = written { writer in
      writer.object { writer in
        writer.member("text", "x")
        writer.member("nothing", nil as String?)
        writer.member("number", -7)
        writer.member("yes", true)
        writer.member("no", false)
        writer.member("content", content)
        writer.object("object") { $0.member("deep", 1) }
        writer.array("array") { writer in
          writer.content(content)
          writer.content(content)
        }
        writer.objects("objects", [1, 2]) { $0.member("number", $1) }
        writer.member("last", 0)
      }
    }
    #expect(
      text == #"{"text":"x","nothing":null,"number":-7,"yes":true,"no":false,"#
        + #""content":{"a":"x","b":[1]},"object":{"deep":1},"#
        + #""array":[{"a":"x","b":[1]},{"a":"x","b":[1]}],"#
        + #""objects":[{"number":1},{"number":2}],"last":0}"#)
  }

  @Test func writerNestsContainersToAnyDepth() {
    func nest(_ depth: Int, _ writer: inout JSONWriter) {
      writer.array { writer in
        guard depth > 1 else { return }
        nest(depth - 1, &writer)
        nest(depth - 1, &writer)
      }
    }
    #expect(written { nest(3, &$0) } == "[[[],[]],[[],[]]]")
  }

  @Test func namesAndStringsAreEscaped() {
    let text = written { writer in
      writer.object { $0.member("a\"\\\n", "\u{1}\t/é😀") }
    }
    #expect(text == #"{"a\"\\\n":"\u0001\t/é😀"}"#)
  }

  @Test func writerPutsALineBreakAfterTheComma() {
    let text = written { writer in
      writer.array { writer in
        writer.lineBreak()
        writer.raw("1")
        writer.lineBreak()
        writer.raw("2")
        writer.array { _ in }
        writer.lineBreak()
        writer.object { writer in
          writer.member("a", 1)
          writer.lineBreak()
          writer.member("b", 2)
        }
      }
    }
    #expect(text == "[\n1,\n2,[],\n{\"a\":1,\n\"b\":2}]")
  }
}
