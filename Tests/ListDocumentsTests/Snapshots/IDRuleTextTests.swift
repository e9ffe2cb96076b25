import ListDocuments
import Testing

@Suite struct IDRuleTextTests {
  @Test(arguments: [
    (["id"], #"["id"]"#),
    (["."], #"["."]"#),
    (["title", "year"], #"["title","year"]"#),
    (["Link|link"], #"["Link|link"]"#),
    ([#"a\|b"#], #"["a\\|b"]"#),
    (["/a~1b/0", "é\"\n"], #"["/a~1b/0","é\"\n"]"#),
  ])
  func ruleRoundTripsThroughItsText(specifications: [String], text: String) throws {
    let rule = try IDRule(specifications)
    #expect(rule.text == text)
    #expect(IDRule(text: text) == rule)
    #expect(IDRule(text: text)?.specifications == specifications)
  }

  @Test(arguments: [
    "", "id", #""id""#, "[]", #"{"id":"id"}"#, "[1]", #"["id",1]"#, #"["id",null]"#, #"["id""#,
    #"["id"] x"#, #"[""]"#, #"[".","a"]"#, #"["/~"]"#,
  ])
  func invalidTextsAreNotReadAsAnIDRule(text: String) {
    #expect(IDRule(text: text) == nil)
  }
}
