import ListDocuments
import ListModel

extension VectorFile {
  /// Publications for `Tests/Conformance/run_client.py`.
  static func publications() throws -> VectorFile {
    let folder = PublishedVectors(history: try .parks(), other: try .other())
    return VectorFile(
      name: "publications",
      about: "Files of a publication for run_client.py. Each run starts the client anew with the "
        + "same copy; 'asked' are the files that it must ask for, in order.",
      vectors: try folder.vectors() + folder.signedVectors())
  }
}

/// Writes runs: the files of a publication, those that a client asks for, and where it must end.
struct PublishedVectors {
  let history: History
  let other: History

  private static let headFile = PublicationHead.fileName

  func vectors() throws -> [VectorValue] {
    let seven = head(7, whole: 7)
    let small = head(7, whole: 7, wholeByteCount: 150)
    let damaged = try delta(6, 7).edited([(#""Zion""#, #""Sion""#)])
    let films = try seven.edited([(#""list":"parks""#, #""list":"films""#)])
    let newer = try seven.edited([("list-publication/1", "list-publication/2")])
    return [
      vector("first list", ["P47", "P48", "P49"], [run([wholeFile(7)], seven, end: 7)]),
      vector(
        "first list and the changes behind it", ["P48"],
        [run([wholeFile(4), deltaFile(6, 7), deltaFile(4, 6)], head(7, whole: 4), end: 7)]),
      vector("version 0", ["P47"], [run([], head(0, whole: nil), end: 0)]),
      vector("nothing new", ["P49"], [first(2), run([], head(2, whole: 2), end: 2)]),
      vector(
        "the longest deltas", ["P48"],
        [
          first(1),
          run(
            [deltaFile(6, 7), deltaFile(4, 6), deltaFile(2, 4), deltaFile(1, 2)], seven, end: 7),
        ]),
      vector(
        "a delta of level 2", ["P48"],
        [
          run([wholeFile(4), deltaFile(4, 6)], head(6, whole: 4), end: 6),
          run([deltaFile(6, 7)], seven, end: 7),
        ]),
      vector(
        "base 3", ["P48"],
        [
          first(2),
          run(
            [deltaFile(6, 7), deltaFile(3, 6), deltaFile(2, 3)], head(7, whole: 7, base: 3),
            end: 7),
        ]),
      vector(
        "one level", ["P48"],
        [
          first(5),
          run([deltaFile(6, 7), deltaFile(5, 6)], head(7, whole: 7, levelCount: 1), end: 7),
        ]),
      vector(
        "the whole list has fewer bytes", ["P48"],
        [first(1), run([wholeFile(7)], small, end: 7)]),
      vector(
        "the deltas have fewer bytes", ["P48"], [first(6), run([deltaFile(6, 7)], small, end: 7)]),
      vector(
        "a pruned version", ["P48"],
        [first(1), run([wholeFile(7)], head(7, whole: 7, oldest: 5), end: 7)]),
      vector(
        "another history, of a lower version", ["P50"],
        [
          first(2, other),
          run(
            [deltaFile(6, 7), deltaFile(4, 6), deltaFile(2, 4), wholeFile(7)], seven, heads: 2,
            end: 7),
        ]),
      vector(
        "another history, of the same version", ["P50"],
        [first(2, other), run([wholeFile(2)], head(2, whole: 2), heads: 2, end: 2)]),
      vector(
        "a head that is behind", ["P50"],
        [first(7), run([wholeFile(4)], head(4, whole: 4), heads: 4, end: 4)]),
      vector(
        "a file that is not there", ["P50"],
        [
          first(4),
          run(
            [deltaFile(6, 7)] + Array(repeating: deltaFile(4, 6), count: 3) + [wholeFile(7)], seven,
            heads: 4, files: [deltaFile(4, 6): nil], end: 7),
        ]),
      vector(
        "the file of another delta", ["P41", "P50"],
        [
          first(4),
          run(
            [deltaFile(6, 7), deltaFile(4, 6), deltaFile(4, 6), wholeFile(7)], seven, heads: 2,
            files: [deltaFile(4, 6): delta(0, 4)], end: 7),
        ]),
      vector(
        "another delta in a cache", ["P50"],
        [
          first(4),
          run(
            [deltaFile(6, 7), deltaFile(6, 7), deltaFile(4, 6)], seven,
            cached: [deltaFile(6, 7): delta(4, 6)], end: 7),
        ]),
      vector(
        "a delta of another history in a cache", ["P50"],
        [
          run(
            [wholeFile(1), deltaFile(1, 2), deltaFile(1, 2)], head(2, whole: 1),
            cached: [deltaFile(1, 2): other.document(1, 2)], end: 2)
        ]),
      vector(
        "a whole list of another history in a cache", ["P50"],
        [
          run(
            [wholeFile(2), wholeFile(2)], head(2, whole: 2),
            cached: [wholeFile(2): other.whole(2, .first)], end: 2)
        ]),
      vector(
        "half a file in a cache", ["P50"],
        [
          run(
            [wholeFile(7), wholeFile(7)], seven,
            cached: [wholeFile(7): String(whole(7).prefix(300))], end: 7)
        ]),
      vector(
        "a damaged delta", ["P23", "P41"],
        [
          first(6),
          run(
            [deltaFile(6, 7), wholeFile(7)], seven, heads: 2,
            files: [deltaFile(6, 7): damaged], end: 7),
        ]),
      vector(
        "a damaged whole list in a cache", ["P41", "P50"],
        [
          run(
            [wholeFile(7), wholeFile(7)], seven, heads: 2,
            cached: [wholeFile(7): try whole(7).edited([(#""Zion""#, #""Sion""#)])], end: 7)
        ]),
      vector(
        "a damaged whole list", ["P23", "P41"],
        [
          run(
            [wholeFile(7), wholeFile(7)], seven, heads: 2,
            files: [wholeFile(7): try whole(7).edited([(#""Zion""#, #""Sion""#)])], end: nil)
        ]),
      vector(
        "the head of another list", ["P47"],
        [
          first(4), run([], films, heads: 2, end: nil),
          run([deltaFile(6, 7), deltaFile(4, 6)], seven, end: 7),
        ]),
      vector(
        "a list that is gone", ["P47"],
        [
          first(6), run([], gone(nil), end: nil), run([deltaFile(6, 7)], seven, end: 7),
          run([], gone("forests"), end: nil),
        ]),
      vector("a list that was gone before", ["P47"], [run([], gone(nil), end: nil)]),
      vector("a head of another format", ["P47"], [run([], newer, heads: 2, end: nil)]),
      vector(
        "watching", ["P49"],
        [
          first(5),
          run(
            [deltaFile(5, 6), deltaFile(6, 7)], head(5, whole: 5),
            later: [head(5, whole: 5), head(6, whole: 5), head(7, whole: 5)], end: 7, until: 7),
        ]),
    ]
  }

  func vector(_ name: String, _ rules: [String], _ runs: [VectorValue]) -> VectorValue {
    ["name": .text(name), "rules": .texts(rules), "runs": .list(runs)]
  }

  /// The run in which a client without a copy gets the whole list.
  private func first(_ version: Int, _ other: History? = nil) -> VectorValue {
    let source = other.map { PublishedVectors(history: $0, other: $0) } ?? self
    return source.run(
      [source.wholeFile(version)], source.head(version, whole: version), end: version)
  }

  /// - Parameters:
  ///   - asked: the files that the client asks for, besides the head.
  ///   - head: the text of the head; `later`: those for further requests.
  ///   - heads: how often the client asks for the head.
  ///   - files: contents of other files than the right ones; nil for one that is not there.
  ///   - cached: contents in place of files, for requests that do not ask past caches.
  ///   - end: a version of the history; nil for an error.
  ///   - key: the key that the client is given.
  ///   - refusal: the word of the error (P53).
  func run(
    _ asked: [String], _ head: String, later: [String] = [], heads: Int? = 1,
    files: [String: String?] = [:], cached: [String: String] = [:], end: Int?, until: Int? = nil,
    key: String? = nil, refusal: String? = nil
  ) -> VectorValue {
    var members: [(name: String, value: VectorValue)] = [
      (
        Self.headFile,
        [
          "content": .text(head), "headers": ["Cache-Control": "public, max-age=1"],
          "later": .texts(later),
        ]
      )
    ]
    for file in Set(asked).sorted() {
      let content = files[file] ?? content(of: file)
      let old = cached[file].map { [(name: "cached", value: VectorValue.text($0))] } ?? []
      members.append((file, content.map { .members([("content", .text($0))] + old) } ?? .null))
    }
    var run: [(name: String, value: VectorValue)] = [
      ("files", .members(members)), ("asked", .texts(asked)),
    ]
    if let heads, later.isEmpty { run.append(("heads", .number(heads))) }
    if let until { run.append(("until", .number(until))) }
    if let key { run.append(("key", .text(key))) }
    if let refusal { run.append(("refusal", .text(refusal))) }
    run.append(("final", .final(end.map { history.states[$0] }, of: history)))
    return .members(run)
  }

  /// The head of a list that was dropped or renamed.
  private func gone(_ newName: String?) -> String {
    let end = PublicationEnd(
      list: History.list, leftAt: Timestamp(millisecondsSince1970: 1_790_000_000_000),
      newName: newName.flatMap(ListName.init))
    return String(decoding: end.encoded(), as: UTF8.self)
  }

  private func content(of file: String) -> String? {
    let parts = file.dropLast(".json".count).split(separator: "/")
    let end = history.states.firstIndex { $0.knownCursor.description == parts[parts.count - 1] }
    guard let end else { return nil }
    return Int(parts[1]).map { delta(end - $0, end) } ?? whole(end)
  }

  func delta(_ from: Int, _ to: Int) -> String { history.document(from, to) }

  private func whole(_ version: Int) -> String { history.whole(version, .first) }

  func deltaFile(_ from: Int, _ to: Int) -> String {
    "delta/\(to - from)/\(history.states[to].knownCursor).json"
  }

  func wholeFile(_ version: Int) -> String {
    "whole/\(history.states[version].knownCursor).json"
  }

  /// A head whose deltas have 100 bytes each.
  func head(
    _ version: Int, whole: Int?, wholeByteCount: Int = 1000, base: Int = 2, oldest: Int = 1,
    levelCount: Int = 3, note: String? = nil
  ) -> String {
    let levels = (0..<levelCount).map { level in
      PublishedRanges.all(
        ofLevel: level, base: base, from: Version(oldest), to: Version(version)
      ).count
    }
    let head = PublicationHead(
      list: History.list, head: history.states[version],
      oldest: Version(min(oldest, version)), base: base,
      levels: levels.filter { $0 > 0 }.map { .init(count: $0, byteCount: $0 * 100) },
      whole: whole.map {
        .init(history.states[$0], file: wholeFile($0), byteCount: wholeByteCount)
      }, note: note)
    return String(decoding: head.encoded(), as: UTF8.self)
  }
}
