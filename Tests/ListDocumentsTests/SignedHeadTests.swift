import ListModel
import TestSupport
import Testing

@testable import ListDocuments

/// Signed notes of heads, and the trust in them.
struct SignedHeadTests {
  private static let parks = ListName("parks")!
  private let key = SigningKey(name: "lists.example")!
  private let next = SigningKey(name: "lists.example")!

  /// Versions 0 to 3 of a list.
  private static func states(author: String = "a") -> [ListState] {
    (1...3).reduce(into: [ListState.zero]) { states, number in
      let note = CommitNote(time: Timestamp(millisecondsSince1970: 0), author: author)
      let header = VersionHeader(
        version: Version(number), note: note, root: .empty, previous: states[number - 1].chain!)
      states.append(ListState(header, count: 0))
    }
  }

  private let states = Self.states()

  private func note(_ version: Int, _ keys: [SigningKey]? = nil) -> String {
    HeadSigner(keys ?? [key]).note(of: Self.parks, at: states[version])!
  }

  private func trust(_ version: Int = 1) throws -> HeadTrust {
    try HeadTrust(key.verifier, note(version), of: Self.parks, at: states[version])
  }

  /// The example of the documentation of `golang.org/x/mod/sumdb/note`.
  @Test func aNoteOfAnotherProgramIsMadeAndRead() throws {
    let secret = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
    let text = """
      If you think cryptography is the answer to your problem,
      then you don't know what your problem is.

      """
    let example = """
      \(text)
      — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngot\
      pRZb6KE6RyyBwJnAM=

      """
    let key = try #require(SigningKey(secret))
    #expect(key.secretText == secret)
    #expect(
      "\(key.verifier)" == "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    #expect(SignedNote(example)?.isSigned(by: key.verifier) == true)
    let made = SignedNote(text, signedBy: [key])
    #expect(made.isSigned(by: key.verifier) == true)
    // Other systems add randomness to each signature.
    #if os(Linux)
      #expect(made.description == example)
    #endif
  }

  @Test func keysAreReadAsTheyWereWritten() {
    #expect(VerifierKey("\(key.verifier)") == key.verifier)
    #expect(SigningKey(key.secretText)?.verifier == key.verifier)
    #expect(SigningKey("\(key.secretText)\n")?.verifier == key.verifier)
  }

  @Test func nameMayBeginWithACombiningMark() throws {
    let key = try #require(SigningKey(name: "\u{301}lists"))
    #expect(SigningKey(key.secretText)?.verifier == key.verifier)
    #expect(VerifierKey("\(key.verifier)") == key.verifier)
    #expect(try SignedHead(note: note(1, [key]), signedBy: key.verifier).isOf(states[1]))
  }

  /// Bytes that some platforms take for a point (RFC 8032, 5.1.3).
  @Test(
    arguments: [
      (0xed, 0x7f), (0xee, 0x7f), (0xff, 0x7f), (0xed, 0xff), (0xff, 0xff), (0xec, 0xff),
    ] as [(UInt8, UInt8)])
  func pointHasOneEncoding(first: UInt8, last: UInt8) {
    let middle = [UInt8](repeating: 0xff, count: 30)
    #expect(VerifierKey(name: "lists", publicKey: [first] + middle + [last]) == nil)
    #expect(VerifierKey(name: "lists", publicKey: [0xec] + middle + [0x7f]) != nil)
    let one = [1] + [UInt8](repeating: 0, count: 30)
    #expect(VerifierKey(name: "lists", publicKey: one + [0]) != nil)
    #expect(VerifierKey(name: "lists", publicKey: one + [0x80]) == nil)
  }

  @Test func noteWithOtherLineEndsIsNotUnsigned() throws {
    let text = note(1).replacing("\n", with: "\r\n")
    #expect(SignedHead.note(in: Array(text.utf8)) == text)
    #expect(
      throws: HeadRefusal.falseSignature(
        reason: "it is not the note of a head; its lines must end with LF")
    ) {
      try SignedHead(note: text, signedBy: key.verifier)
    }
  }

  @Test func otherTextsAreNoKeys() throws {
    let (verifier, secret) = ("\(key.verifier)", key.secretText)
    let id = verifier.split(separator: "+")[1]
    for text in [
      "", "a", "a+b+c", verifier + "=", verifier + "\n", " " + verifier,
      verifier.replacing(id, with: "00000000"), verifier.replacing("lists.", with: "list s."),
      verifier.replacing("lists.example", with: ""), secret,
      "\(key.verifier.label)+\(Base64.encode([2] + key.verifier.publicKey))",
      String(verifier.dropLast(4)),
    ] {
      #expect(VerifierKey(text) == nil, "\(text)")
    }
    for text in ["", verifier, secret.replacing(id, with: "00000000"), secret + "\n\n"] {
      #expect(SigningKey(text) == nil, "\(text)")
    }
    for name in ["", "a b", "a+b", "a\nb", "a\u{2003}b", "a\u{1}"] {
      #expect(SigningKey(name: name) == nil, "\(name)")
    }
  }

  @Test func aHeadIsReadAsItWasSigned() throws {
    for version in states.indices {
      let head = try SignedHead(note: note(version), signedBy: key.verifier)
      #expect(head.isOf(states[version]) && head.list == Self.parks && head.successor == nil)
      #expect(head.cursor == states[version].cursor)
    }
  }

  @Test func otherTextsAreNoNotes() throws {
    let note = note(1)
    let lines = note.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let signature = lines[6]
    for (name, text) in [
      ("no end", String(note.dropLast())),
      ("no signature", note.replacing(signature + "\n", with: "")),
      ("CRLF", note.replacing("\n", with: "\r\n")),
      ("another dash", note.replacing("\u{2014}", with: "-")),
      ("another line", note + "more\n"), ("an empty line at the end", note + "\n"),
      ("no empty line", note.replacing("\n\n", with: "\n")),
      ("no padding", note.replacing("=\n", with: "\n").replacing("==", with: "=")),
      ("two spaces", note.replacing("\u{2014} ", with: "\u{2014}  ")),
      ("17 signatures", note + String(repeating: signature + "\n", count: 16)),
      ("too long", note.replacing("parks", with: String(repeating: "p", count: 20_000))),
      ("zeros before the version", note.replacing("\n1\n", with: "\n01\n")),
      ("upper case", note.replacing("\(Root.empty)", with: "\(Root.empty)".uppercased())),
      ("another mark", note.replacing("list-head/1", with: "list-head/2")),
      ("one line more", note.replacing("\n\n", with: "\nx\n\n")), ("nothing", ""),
    ] where text != note {
      #expect(throws: HeadRefusal.self, "\(name)") {
        try SignedHead(note: text, signedBy: key.verifier)
      }
    }
  }

  @Test func everyByteOfTheTextIsSigned() throws {
    let bytes = Array(note(2).utf8)
    let end = bytes.count - "\(Base64.encode(Array(repeating: 0, count: 68)))\n".utf8.count
    for place in bytes.indices where place < end && bytes[place] != 0x0A {
      var other = bytes
      other[place] ^= 1
      #expect(throws: HeadRefusal.self, "\(place)") {
        let text = String(decoding: other, as: UTF8.self)
        _ = try HeadTrust(key.verifier, text, of: Self.parks, at: states[2])
      }
    }
  }

  @Test func signaturesOfOtherKeysAreIgnored() throws {
    let other = SigningKey(name: "witness.example")!
    let text = SignedHead(Self.parks, states[1], successor: nil)!.text
    for keys in [[key, other], [other, key], [other, key, other]] {
      let note = SignedNote(text, signedBy: keys).description
      #expect(try SignedHead(note: note, signedBy: key.verifier).isOf(states[1]))
    }
    let found = ["\(other.verifier.label)", "\(next.verifier.label)"]
    #expect(throws: HeadRefusal.otherKey(found: found, wanted: key.verifier)) {
      let note = SignedNote(text, signedBy: [other, next]).description
      _ = try SignedHead(note: note, signedBy: key.verifier)
    }
  }

  @Test func aNameOfAnotherSpellingIsThatOfAnotherKey() throws {
    let key = try #require(SigningKey(name: "caf\u{E9}"))
    let note = note(1, [key])
    let other = note.replacing("caf\u{E9}", with: "cafe\u{301}")
    let found = ["cafe\u{301}\(key.verifier.label.dropFirst(4))"]
    #expect(throws: HeadRefusal.otherKey(found: found, wanted: key.verifier)) {
      _ = try SignedHead(note: other, signedBy: key.verifier)
    }
    let line = try #require(other.split(separator: "\n").last)
    #expect(try SignedHead(note: "\(note)\(line)\n", signedBy: key.verifier).isOf(states[1]))
  }

  @Test func eachSignatureOfTheKeyHasToHold() throws {
    let (good, other) = (note(1), note(2))
    let line = try #require(other.split(separator: "\n").last)
    for text in [
      good + line + "\n", good.replacing(good.split(separator: "\n").last!, with: line),
    ] {
      let error = #expect(throws: HeadRefusal.self) {
        try SignedHead(note: text, signedBy: key.verifier)
      }
      #expect(error?.kind == "false-signature")
    }
  }

  // MARK: Trust

  @Test func laterHeadsAreAcceptedAndOlderOnesRefused() throws {
    var trust = try trust(1)
    try trust.accept(note(3), at: states[3])
    try trust.accept(note(3), at: states[3])
    let newest = trust
    #expect(throws: HeadRefusal.older(states[2].cursor!, than: states[3].cursor!)) {
      try trust.accept(note(2), at: states[2])
    }
    #expect(trust == newest)
  }

  @Test func twoHeadsOfOneVersionAreAFork() throws {
    var trust = try trust(2)
    let other = Self.states(author: "b")[2]
    let forked = try #require(HeadSigner([key]).note(of: Self.parks, at: other))
    #expect(throws: HeadRefusal.forked(kept: note(2), found: forked)) {
      try trust.accept(forked, at: other)
    }
  }

  @Test func aHeadOfAnotherListOrStateIsRefused() throws {
    let films = try #require(ListName("films"))
    let note = try #require(HeadSigner([key]).note(of: films, at: states[1]))
    #expect(throws: HeadRefusal.otherList(films)) {
      try HeadTrust(key.verifier, note, of: Self.parks, at: states[1])
    }
    for state in [states[2], Self.states(author: "b")[1]] {
      let error = #expect(throws: HeadRefusal.self) {
        try HeadTrust(key.verifier, self.note(1), of: Self.parks, at: state)
      }
      #expect(error?.kind == "false-signature")
    }
  }

  @Test func aKeyTakesOverInAHeadThatBothSign() throws {
    var trust = try trust(1)
    try trust.accept(note(2, [key, next]), at: states[2])
    #expect(trust.present == next.verifier && trust.given == key.verifier)
    #expect(trust.isOf(key.verifier) && trust.isOf(next.verifier))
    // The old key no longer counts.
    #expect(throws: HeadRefusal.self) { try trust.accept(note(3), at: states[3]) }
    try trust.accept(note(3, [next]), at: states[3])
    // A reader of the new key alone reads both.
    var other = try HeadTrust(next.verifier, note(2, [key, next]), of: Self.parks, at: states[2])
    try other.accept(note(3, [next]), at: states[3])
  }

  @Test func aKeyDoesNotTakeOverWithoutItsOwnSignature() throws {
    var trust = try trust(1)
    let text = SignedHead(Self.parks, states[2], successor: next.verifier)!.text
    for keys in [[key], [next]] {
      #expect(throws: HeadRefusal.self) {
        try trust.accept(SignedNote(text, signedBy: keys).description, at: states[2])
      }
    }
    #expect(trust.present == key.verifier)
  }

  @Test func whatWasKeptIsTrustedOnlyAsItWas() throws {
    var trust = try trust(1)
    try trust.accept(note(2, [key, next]), at: states[2])
    func kept(_ given: SigningKey, _ present: SigningKey, _ note: String) throws -> HeadTrust {
      try HeadTrust(
        given: given.verifier, present: present.verifier, note: note, of: Self.parks,
        at: states[2])
    }
    #expect(try kept(key, next, trust.note) == trust)
    #expect(throws: HeadRefusal.self) { try kept(key, next, note(2)) }
    #expect(throws: HeadRefusal.self) { try kept(key, next, note(1, [next])) }
  }

  @Test func aNoteIsKeptAsLongAsItSaysTheSame() throws {
    let signer = HeadSigner([key, next])
    let old = try #require(signer.note(of: Self.parks, at: states[1]))
    #expect(signer.note(of: Self.parks, at: states[1], keeping: old) == old)
    #expect(signer.note(of: Self.parks, at: states[2], keeping: old) != old)
    #expect(HeadSigner([next]).note(of: Self.parks, at: states[1], keeping: old) != old)
    #expect(signer.note(of: Self.parks, at: states[1], keeping: "x")?.contains("\n1\n") == true)
  }

  @Test func aNoteIsFoundInADocument() throws {
    let note = note(1)
    #expect(SignedHead.note(in: Array(note.utf8)) == note)
    let head = PublicationHead(
      list: Self.parks, head: states[1], oldest: Version(1), base: 2, levels: [], whole: nil,
      note: note)
    #expect(try PublicationHead(head.encoded()) == head)
    #expect(SignedHead.note(in: head.encoded()) == note)
    #expect(SignedHead.note(in: Array("[]".utf8)) == nil)
    let kept = try KeptCursors(Array(note.utf8))
    #expect(kept.entries == [.init(list: Self.parks, cursor: states[1].cursor!)])
  }
}
