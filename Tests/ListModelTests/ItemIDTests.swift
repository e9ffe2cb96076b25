import Foundation
import ListModel
import Testing

struct ItemIDTests {
  static let composed: ItemID = "caf\u{E9}"
  static let decomposed: ItemID = "cafe\u{301}"

  @Test func composedAndDecomposedTextsAreTwoIDs() {
    #expect(Self.composed.text == Self.decomposed.text)
    #expect(Self.composed != Self.decomposed)
    #expect(Set([Self.composed, Self.decomposed, Self.composed]).count == 2)
    var ages: [ItemID: Int] = [Self.composed: 1, Self.decomposed: 2]
    ages[ItemID("caf" + "\u{E9}")] = 3
    #expect(ages[Self.composed] == 3)
    #expect(ages[Self.decomposed] == 2)
  }

  @Test func everyByteOfAnIDCountsIncludingThoseAfterNUL() {
    let ids: [ItemID] = ["", "\u{0}", "a", "a\u{0}", "a\u{0}b", "a\u{0}c", "a\u{0}b\u{0}", "A"]
    for (i, a) in ids.enumerated() {
      for (j, b) in ids.enumerated() { #expect((a == b) == (i == j), "\(i), \(j)") }
    }
    #expect(Set(ids).count == ids.count)
  }

  /// One text, made in several ways: literal, slice, bytes, bridged, grown, lazily mapped.
  private static func copies(of text: String) -> [ItemID] {
    let padded = "<<<" + text + ">>>"
    var grown = ""
    for scalar in text.unicodeScalars { grown.unicodeScalars.append(scalar) }
    return [
      ItemID(text), ItemID(String(padded.dropFirst(3).dropLast(3))),
      ItemID(String(decoding: Array(text.utf8), as: UTF8.self)),
      ItemID(NSString(string: text) as String),
      ItemID(
        NSMutableString(string: padded).substring(
          with: NSRange(location: 3, length: text.utf16.count))),
      ItemID(grown),
    ]
  }

  @Test(arguments: [
    "", "zion", "a text that is too long to fit into sixteen bytes", "naïve café 😀", "a\u{0}b",
  ])
  func equalTextsAreOneIDForAnyStringStorage(text: String) {
    let copies = Self.copies(of: text)
    for copy in copies {
      #expect(copy == copies[0])
      #expect(copy.hashValue == copies[0].hashValue)
      #expect([copies[0]: "found"][copy] == "found")
    }
    #expect(Set(copies).count == 1)
  }

  @Test func hashSeparatesConsecutiveIDs() {
    #expect(Set([["ab", "c"], ["a", "bc"], ["abc", ""]] as [[ItemID]]).count == 3)
  }

  // By hand, by the bytes: U+FFFF is EF BF BF, U+10000 is F0 90 80 80, although D800 DC00 in
  // UTF-16.
  @Test func idsAreOrderedByTheirUTF8Bytes() {
    let ascending: [ItemID] = [
      "", "\u{0}", "A", "Z", "a", "a\u{0}", "a\u{1}", "aa", "b", "e\u{301}", "z", "\u{7F}",
      "\u{80}",
      "\u{E9}", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ]
    for (i, a) in ascending.enumerated() {
      for (j, b) in ascending.enumerated() { #expect((a < b) == (i < j), "\(i), \(j)") }
    }
    #expect(ascending.shuffled().sorted() == ascending)
  }
}
