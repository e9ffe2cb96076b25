import ListModel

/// A JSON value as a file spells it.
struct JSONText: Sendable {
  let bytes: [UInt8]
  let range: Range<Int>
  let content: Content

  private struct Member {
    let name: Range<Int>
    let value: JSONText

    /// The name in canonical form, with its quotes.
    var key: [UInt8] {
      (try? Content(json: Array(value.bytes[name])).bytes) ?? Array(value.bytes[name])
    }
  }

  /// A value in the spelling of two texts: those parts of it that they have keep their bytes, and
  /// the rest is canonical. Members come in the order of mine, then of theirs.
  static func text(of value: Content, mine: JSONText?, theirs: JSONText?) -> [UInt8] {
    for text in [mine, theirs] {
      if let text, text.content == value { return Array(text.bytes[text.range]) }
    }
    guard let mine, case let members = mine.members, let first = members.first,
      let last = members.last, ContentView(value).kind == .object
    else { return value.bytes }
    let between =
      members.count > 1
      ? Array(mine.bytes[first.value.range.upperBound..<members[1].name.lowerBound])
      : separator(inFrontOf: first.name.lowerBound, in: mine.bytes)
    let colon = mine.bytes[first.name.upperBound..<first.value.range.lowerBound]
    let head = mine.bytes[mine.range.lowerBound..<first.name.lowerBound]
    let tail = mine.bytes[last.value.range.upperBound..<mine.range.upperBound]
    // The value itself has the members that neither text has.
    let all = JSONText(bytes: value.bytes, range: value.bytes.indices, content: value).members
    if all.isEmpty { return value.bytes }
    let byKey = [members, theirs?.members ?? [], all].map { members in
      Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
    var parts: [[UInt8]] = []
    var done: Set<[UInt8]> = []
    for member in members + (theirs?.members ?? []) + all {
      guard let value = byKey[2][member.key], done.insert(member.key).inserted else { continue }
      let text = text(of: value.content, mine: byKey[0][member.key], theirs: byKey[1][member.key])
      parts.append(member.value.bytes[member.name] + colon + text)
    }
    return head + Array(parts.joined(separator: between)) + tail
  }

  /// A comma and the white space before an index: what separates it from a value before it.
  static func separator(inFrontOf index: Int, in bytes: [UInt8]) -> [UInt8] {
    [UInt8(ascii: ",")]
      + bytes[..<index].reversed().prefix { [0x20, 0x09, 0x0A, 0x0D].contains($0) }.reversed()
  }

  /// The members of an object in the order of the text; empty for other kinds, and for an object
  /// that is deeper than the standard limit.
  private var members: [Member] {
    var parser = JSONParser(bytes)
    parser.move(to: range.lowerBound)
    var members: [Member] = []
    do throws(JSONError) {
      guard parser.current == UInt8(ascii: "{"), try parser.enters("{", "}") else { return [] }
      repeat {
        let start = parser.index
        _ = try parser.canonicalValue()
        let name = start..<parser.index
        parser.move(to: start)
        _ = try parser.memberName()
        let valueStart = parser.index
        let content = Content(canonicalBytes: try parser.canonicalValue())
        let value = JSONText(bytes: bytes, range: valueStart..<parser.index, content: content)
        members.append(Member(name: name, value: value))
      } while try parser.hasNext(closing: UInt8(ascii: "}"), "',' or '}' in an object")
    } catch {
      return []
    }
    return members
  }
}
