import TestSupport
import Testing

@testable import ListStore

@Suite struct TextDeltaTests {
  /// The numbers and own bytes of texts, each with the one before as its base, and the texts that
  /// they give.
  private func roundTrip(_ texts: [[UInt8]]) throws -> (byteCount: Int, texts: [[UInt8]]) {
    var writer = TextDeltaWriter()
    var base: [UInt8] = []
    for text in texts {
      writer.write(text, base: base)
      base = text
    }
    let bytes = writer.numbers.bytes + writer.literals
    var numbers = ByteReader(bytes, in: 0..<writer.numbers.bytes.count)
    var own = ByteReader(bytes, in: writer.numbers.bytes.count..<bytes.count)
    var found: [[UInt8]] = []
    for _ in texts {
      let base = found.last ?? []
      let delta = try TextDelta(&numbers, &own, baseCount: base.count)
      found.append(try delta.text(in: bytes, base: base))
    }
    #expect(numbers.isAtEnd && own.isAtEnd)
    return (bytes.count, found)
  }

  @Test func allShortTextsComeBackFromAllShortBases() throws {
    let texts = (0...4).flatMap { count in
      (0..<(1 << count)).map { bits in (0..<count).map { UInt8(bits >> $0 & 1) } }
    }
    for base in texts {
      for text in texts { #expect(try roundTrip([base, text]).texts == [base, text]) }
    }
  }

  @Test func aChangedMemberCostsItsBytes() throws {
    func park(_ rating: String, _ fee: String) -> [UInt8] {
      Array(
        """
        {"fee":"\(fee)","id":"zion","name":"Zion National Park","rating":\(rating),"state":"UT",\
        "url":"https://www.nps.gov/zion"}
        """.utf8)
    }
    let (old, new) = (park("4.75", "35 USD"), park("4.8", "20 EUR"))
    #expect(try roundTrip([old]).byteCount < old.count + 4)
    let one = try roundTrip([old, park("4.8", "35 USD")])
    #expect(one.texts[1] == park("4.8", "35 USD"))
    #expect(one.byteCount < old.count + 4 + 10)
    let two = try roundTrip([old, new])
    #expect(two.texts[1] == new)
    #expect(two.byteCount < old.count + 4 + 20)
  }

  @Test func editedTextsComeBack() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<300 {
      var text = (0..<Int.random(in: 0...400, using: &random)).map { _ in
        UInt8.random(in: 97...100, using: &random)
      }
      var texts = [text]
      for _ in 0..<8 {
        let start = Int.random(in: 0...text.count, using: &random)
        let end = min(text.count, start + Int.random(in: 0...30, using: &random))
        switch Int.random(in: 0...3, using: &random) {
        case 0: text.replaceSubrange(start..<end, with: [])
        case 1: text.insert(contentsOf: text[start..<end].reversed(), at: start)
        case 2: text = Array(text[end...] + text[..<start])
        default: text.replaceSubrange(start..<end, with: text[start..<end].map { $0 ^ 1 })
        }
        texts.append(text)
      }
      #expect(try roundTrip(texts).texts == texts)
    }
  }

  @Test func noBytesLeadOutOfTheBase() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        UInt8.random(in: 0...40, using: &random)
      }
      let split = Int.random(in: 0...bytes.count, using: &random)
      let base = Array(repeating: UInt8(1), count: Int.random(in: 0...20, using: &random))
      var numbers = ByteReader(bytes, in: 0..<split)
      var own = ByteReader(bytes, in: split..<bytes.count)
      guard let delta = try? TextDelta(&numbers, &own, baseCount: base.count) else { continue }
      if let text = try? delta.text(in: bytes, base: base) { #expect(text.count == delta.count) }
    }
  }
}
