import ListDocuments
import ListModel
import Testing

/// Keys whose private parts everybody knows.
///
/// The vectors are made on Linux, where two signatures of one text are equal.
enum VectorKeys {
  static let lists = key("lists.example+7e8913b8+AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB")
  static let next = key("next.example+aecd1047+AQICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC")
  static let other = key("other.example+e3d50abc+AQMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMD")
  static let marked = key("\u{301}lists+17d75ecb+AQQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE")

  /// Public keys whose bytes are not the one encoding of a point, and one that has no point.
  static let notCanonical = [
    ("y is 2^255 - 19", "odd.example+fe9ee145+Ae3///////////////////////////////////////////9/"),
    ("y is 2^255 - 18", "odd.example+2ab0c253+Ae7///////////////////////////////////////////9/"),
    ("x is -0 and y is 1", "odd.example+8989ad82+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA"),
    ("x is -0 and y is -1", "odd.example+3861c6bc+Aez/////////////////////////////////////////"),
  ]
  static let noPoint = "odd.example+f846081f+AQIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

  private static func key(_ text: String) -> SigningKey {
    guard let key = SigningKey("PRIVATE+KEY+\(text)") else {
      preconditionFailure("no key: \(text)")
    }
    return key
  }
}

extension History {
  /// The note of a version.
  func note(
    _ version: Int, _ keys: SigningKey..., of list: ListName = History.list
  ) -> String {
    let keys = keys.isEmpty ? [VectorKeys.lists] : keys
    guard let note = HeadSigner(keys).note(of: list, at: states[version]) else {
      preconditionFailure("a version has a chain")
    }
    return note
  }
}

extension VectorFile {
  /// Notes that a reader of `parks` with a key accepts or refuses.
  static func notes() throws -> VectorFile {
    let (history, films) = (try History.parks(), try #require(ListName("films")))
    let (lists, next, other) = (VectorKeys.lists, VectorKeys.next, VectorKeys.other)
    let (note, both) = (history.note(7), history.note(7, lists, next))
    let (line, later) = (note.lastLine, history.note(6).lastLine)
    let accepted: [(String, String)] = [
      ("one signature", note), ("version 0", history.note(0)), ("a key that takes over", both),
      ("another key's signature behind", note + history.note(7, other).lastLine),
      ("another key's signature before", history.note(7, other) + line),
      ("another key's signature, which does not hold", note + history.note(6, other).lastLine),
      ("the same signature twice", note + line),
    ]
    let refused: [(String, String)] = [
      ("no text", ""), ("no signature", String(note.dropLast(line.count))),
      ("the signature of another key", history.note(7, other)),
      ("another list", history.note(7, of: films)),
      ("the signature of another version", note.replacing(line, with: later)),
      ("one of two signatures of the key", note + later),
      ("the text of another version", note.replacing("\n7\n", with: "\n6\n")),
      ("another root", note.replacing("\(history.states[7].root)", with: "\(Root.empty)")),
      ("the key that takes over has not signed", both.replacing(both.lastLine, with: "")),
      ("CRLF", note.replacing("\n", with: "\r\n")), ("no line end", String(note.dropLast())),
      ("an empty line behind", note + "\n"), ("a hyphen", note.replacing("\u{2014}", with: "-")),
      ("no padding", note.replacing("=", with: "")),
      ("two spaces", note.replacing("example ", with: "example  ")),
      ("17 signatures", note + String(repeating: line, count: 16)),
      ("a line more", note.replacing("\n\n", with: "\nmore\n\n")),
      ("zeros before the version", note.replacing("\n7\n", with: "\n07\n")),
      ("another format", note.replacing("list-head/1", with: "list-head/2")),
    ]
    // A note of another form is told before the key is looked for: the reader has another key.
    let successor = "\(next.verifier)"
    let others: [(String, String)] =
      VectorKeys.notCanonical.map {
        ("the key that takes over is none: \($0)", both.replacing(successor, with: $1))
      } + [
        (
          "the key that takes over has no point",
          both.replacing(successor, with: VectorKeys.noPoint)
        ),
        ("the highest version", note.replacing("\n7\n", with: "\n4294967294\n")),
        ("a higher version", note.replacing("\n7\n", with: "\n4294967295\n")),
      ]
    let marked = history.note(7, VectorKeys.marked)
    let noKeys: [VectorValue] = VectorKeys.notCanonical.map { name, key in
      .members([
        ("name", .text("a key that is none: \(name)")), ("rules", ["P51"]),
        ("note", .text(note)), ("key", .text(key)), ("list", .text(History.list.text)),
        ("refused", "malformed"),
      ])
    }
    return VectorFile(
      name: "notes",
      about: "A note and the key of a reader of 'list'; what the note says, or the word for which "
        + "it is refused.",
      vectors: try accepted.map { try acceptedVector($0, $1, lists) }
        + [acceptedVector("a name that begins with a combining mark", marked, VectorKeys.marked)]
        + refused.map { try refusedVector($0, $1, lists) }
        + others.map { try refusedVector($0, $1, other) } + noKeys)
  }

  private static func acceptedVector(
    _ name: String, _ note: String, _ key: SigningKey
  ) throws -> VectorValue {
    let head = try SignedHead(note: note, signedBy: key.verifier)
    var members = vector(name, note, key)
    members += [
      ("version", .number(head.version.number)), ("root", .text("\(head.root)")),
      ("chain", .text("\(head.chain)")),
    ]
    if let key = head.successor { members.append(("successor", .text("\(key)"))) }
    return .members(members)
  }

  private static func refusedVector(
    _ name: String, _ note: String, _ key: SigningKey
  ) throws -> VectorValue {
    .members(vector(name, note, key) + [("refused", .text(try refusal(of: note, name, key)))])
  }

  private static func vector(
    _ name: String, _ note: String, _ key: SigningKey
  ) -> [(name: String, value: VectorValue)] {
    [
      ("name", .text(name)), ("rules", ["P51"]), ("note", .text(note)),
      ("key", .text("\(key.verifier)")), ("list", .text(History.list.text)),
    ]
  }

  private static func refusal(of note: String, _ name: String, _ key: SigningKey) throws -> String {
    do throws(HeadRefusal) {
      let head = try SignedHead(note: note, signedBy: key.verifier)
      guard head.list == History.list else { throw .otherList(head.list) }
    } catch {
      return error.kind
    }
    throw Unexpected(name: name)
  }
}

extension String {
  /// With its line end.
  fileprivate var lastLine: String { "\(split(separator: "\n").last ?? "")\n" }
}

extension ScenarioScript {
  /// Answers of a server to a client that has a key.
  func signedScenarios() throws -> [VectorValue] {
    let (next, other) = (VectorKeys.next, VectorKeys.other)
    func signed(_ from: Int, _ to: Int, more: Bool = false) -> VectorValue {
      answer(from, history.document(from, to, more: more, note: history.note(to)))
    }
    func held(_ from: Int, _ to: Int) -> VectorValue {
      answer(from, history.document(from, to, more: true))
    }
    func with(_ note: String) -> VectorValue { answer(1, history.document(1, 3, note: note)) }
    func whole(_ version: Int, _ source: History? = nil) -> VectorValue {
      let source = source ?? history
      return answer(0, source.whole(version, .first, from: 0, note: source.note(version)))
    }
    func first(_ version: Int) -> VectorValue { run([whole(version)], end: version) }
    func refused(_ kind: String, _ answers: VectorValue...) -> VectorValue {
      run(answers, end: nil, refusal: kind)
    }
    func run(
      _ answers: [VectorValue], end: Int?, refusal: String? = nil, _ key: SigningKey? = nil
    ) -> VectorValue {
      self.run(
        answers, end: end.map { history.states[$0] }, of: history,
        key: "\((key ?? VectorKeys.lists).verifier)", refusal: refusal)
    }
    func both(_ from: Int, _ to: Int) -> VectorValue {
      let note = history.note(to, VectorKeys.lists, next)
      return answer(from, history.document(from, to, note: note))
    }
    let diverged = try History.other()
    let films = try #require(ListName("films"))
    let spoiled = try history.document(1, 3, note: history.note(3)).edited([
      (#""rating":5"#, #""rating":6"#)
    ])
    return [
      scenario(
        "signed changes", ["P52", "P53"],
        [first(1), run([signed(1, 3)], end: 3), run([unchanged(3)], end: 3)]),
      scenario(
        "signed pages", ["P52", "P53"],
        [first(1), run([signed(1, 2, more: true), signed(2, 5)], end: 5)]),
      scenario(
        "pages without a note are held", ["P53"],
        [
          first(1), run([held(1, 2), held(2, 4), signed(4, 7)], end: 7),
          run([unchanged(7)], end: 7),
        ]),
      scenario(
        "what is held is not saved", ["P53"],
        [
          first(1), refused("unsigned", held(1, 2), answer(2, history.document(2, 4))),
          run([signed(1, 3)], end: 3),
        ]),
      scenario(
        "no note", ["P53"],
        [
          first(1), refused("unsigned", answer(1, history.document(1, 3))),
          run([signed(1, 3)], end: 3),
        ]),
      scenario(
        "version 0 without a note", ["P53"],
        [
          refused("unsigned", unchanged(0)), refused("unsigned", answer(0, history.document(0, 0))),
          run([signed(0, 0)], end: 0), run([unchanged(0)], end: 0),
        ]),
      scenario(
        "the note of another key", ["P53"],
        [
          first(1), refused("other-key", with(history.note(3, other))), run([signed(1, 3)], end: 3),
        ]),
      scenario(
        "the note of another version", ["P53"],
        [first(1), refused("false-signature", with(history.note(2)))]),
      scenario(
        "the note of another list", ["P53"],
        [first(1), refused("other-list", with(history.note(3, of: films)))]),
      scenario("a note that is none", ["P53"], [first(1), refused("false-signature", with("x"))]),
      scenario(
        "a spoiled body with a good note", ["P53"],
        [first(1), run([answer(1, spoiled), whole(3)], end: 3)]),
      scenario(
        "an older signed list", ["P53"],
        [
          first(4),
          refused(
            "older", problem(since: history.states[4], 409, .diverged), whole(3)),
          run([signed(4, 7)], end: 7),
        ]),
      scenario(
        "a fork", ["P53"],
        [
          first(2),
          refused(
            "forked", problem(since: history.states[2], 409, .diverged), whole(2, diverged)),
          run([signed(2, 7)], end: 7),
        ]),
      scenario(
        "a signed list of another history", ["P53"],
        [
          first(1),
          run([problem(since: history.states[1], 409, .diverged), whole(2, diverged)], end: nil),
          run([signed(1, 3)], end: 3),
        ]),
      scenario(
        "a copy from before there was a key", ["P53"],
        [
          self.run(
            [answer(0, history.whole(4, .first, from: 0))], end: history.states[4],
            of: history),
          run([whole(3)], end: 3), run([signed(3, 7)], end: 7),
        ]),
      scenario(
        "a key that takes over", ["P53"],
        [
          first(1), run([both(1, 2)], end: 2),
          refused("other-key", signed(2, 3)),
          run([answer(2, history.document(2, 3, note: history.note(3, next)))], end: 3),
          run([answer(3, history.document(3, 4, note: history.note(4, next)))], end: 4, next),
        ]),
      scenario(
        "no key, and a note", ["P52"],
        [
          self.run(
            [answer(0, history.whole(3, .first, from: 0, note: "x"))], end: history.states[3],
            of: history)
        ]),
    ]
  }
}

extension PublishedVectors {
  /// Publications whose clients have a key.
  func signedVectors() throws -> [VectorValue] {
    let key = "\(VectorKeys.lists.verifier)"
    let signed = head(7, whole: 7, note: history.note(7))
    let four = [deltaFile(6, 7), deltaFile(4, 6), deltaFile(2, 4), deltaFile(1, 2)]
    func first(_ version: Int) -> VectorValue {
      run(
        [wholeFile(version)], head(version, whole: version, note: history.note(version)),
        end: version, key: key)
    }
    return [
      vector(
        "a signed head, in one step", ["P52", "P53"],
        [first(1), run(four, signed, end: 7, key: key), run([], signed, end: 7, key: key)]),
      vector(
        "a signed head behind an older whole list", ["P53"],
        [
          run(
            [wholeFile(4), deltaFile(6, 7), deltaFile(4, 6)],
            head(7, whole: 4, note: history.note(7)), end: 7, key: key)
        ]),
      vector(
        "an unsigned head", ["P53"],
        [
          first(6),
          run([deltaFile(6, 7)], head(7, whole: 7), end: nil, key: key, refusal: "unsigned"),
          run([deltaFile(6, 7)], signed, end: 7, key: key),
        ]),
      vector(
        "a head with the note of another version", ["P53"],
        [
          first(6),
          run(
            [deltaFile(6, 7)], head(7, whole: 7, note: history.note(6)), end: nil, key: key,
            refusal: "false-signature"),
        ]),
      vector(
        "a signed head that is behind", ["P50", "P53"],
        [
          first(7),
          run(
            [wholeFile(4)], head(4, whole: 4, note: history.note(4)), heads: 4, end: nil, key: key,
            refusal: "older"),
          run([], signed, end: 7, key: key),
        ]),
      vector(
        "a damaged delta on the way", ["P41", "P53"],
        [
          first(1),
          run(
            four + [wholeFile(7)], signed, heads: 2,
            files: [
              deltaFile(2, 4): try delta(2, 4).edited([(#""id":"zion""#, #""id":"sion""#)])
            ], end: 7, key: key),
        ]),
      vector(
        "a key that takes over in a publication", ["P53"],
        [
          first(6),
          run(
            [deltaFile(6, 7)],
            head(7, whole: 7, note: history.note(7, VectorKeys.lists, VectorKeys.next)), end: 7,
            key: key),
          run([], head(7, whole: 7, note: history.note(7, VectorKeys.next)), end: 7, key: key),
        ]),
    ]
  }
}
