extension JSONParser {
  /// A member of the object being read.
  struct Member {
    /// Its name: in the source, or decoded in `names` if it has escapes.
    let name: Range<Int>
    let hasEscape: Bool
    /// Its canonical name, colon and value, in the canonical text.
    let text: Range<Int>
    /// The start of its name in the source.
    let offset: Int
  }

  mutating func readObject() throws(JSONError) {
    try descend()
    if current == UInt8(ascii: "}") {
      index += 1
    } else {
      try readMembers()
    }
    ascend()
  }

  private mutating func readMembers() throws(JSONError) {
    let (first, firstName, start) = (members.count, names.count, textCount)
    var isSorted = true
    repeat {
      let member = try readMember()
      if isSorted, members.count > first { isSorted = precedes(members[members.count - 1], member) }
      members.append(member)
    } while try continues(closing: UInt8(ascii: "}"), "',' or '}' in an object")
    if !isSorted { try sortMembers(from: first, textStart: start) }
    members.removeLast(members.count - first)
    names.removeLast(names.count - firstName)
  }

  private mutating func readMember() throws(JSONError) -> Member {
    guard current == UInt8(ascii: "\"") else { throw unexpected("a member name in quotes") }
    let (offset, start) = (index, textCount)
    let hasEscape = try readString()
    let name = hasEscape ? decodeName(textStart: start) : offset + 1..<index - 1
    dropWhitespace()
    try expect(UInt8(ascii: ":"), "':' after a member name")
    dropWhitespace()
    try readValue()
    return Member(name: name, hasEscape: hasEscape, text: start..<textCount, offset: offset)
  }

  /// Appends the decoded name that was just read to `names`.
  private mutating func decodeName(textStart start: Int) -> Range<Int> {
    copyText(to: index)
    let nameStart = names.count
    names.append(contentsOf: CanonicalString.decode(output[start + 1..<output.count - 1]))
    return nameStart..<names.count
  }

  private func name(of member: Member) -> ArraySlice<UInt8> {
    member.hasEscape ? names[member.name] : bytes[member.name]
  }

  /// Whether the name of a member is less than that of another.
  private func precedes(_ a: Member, _ b: Member) -> Bool {
    if a.hasEscape || b.hasEscape { return name(of: a).lexicographicallyPrecedes(name(of: b)) }
    // No slices: most names differ in their first bytes.
    var (i, j) = (a.name.lowerBound, b.name.lowerBound)
    while i < a.name.upperBound, j < b.name.upperBound {
      if bytes[i] != bytes[j] { return bytes[i] < bytes[j] }
      i += 1
      j += 1
    }
    return a.name.count < b.name.count
  }

  /// Sorts the members of the object that ends at `index`.
  private mutating func sortMembers(from first: Int, textStart: Int) throws(JSONError) {
    if order.count != members.count - first || misplaced(from: first) != nil {
      makeOrder(from: first)
      if let position = misplaced(from: first) { throw duplicate(at: position, from: first) }
    }
    copyText(to: index)
    sortedText.removeAll(keepingCapacity: true)
    for position in order {
      sortedText.append(members[first + position].text, of: output)
      sortedText.append(UInt8(ascii: ","))
    }
    sortedText[sortedText.count - 1] = UInt8(ascii: "}")
    output.removeLast(output.count - textStart)
    output.append(sortedText.indices, of: sortedText)
  }

  /// The first position in `order` whose name is not less than the next; nil when names ascend.
  private func misplaced(from first: Int) -> Int? {
    for position in 1..<order.count
    where !precedes(members[first + order[position - 1]], members[first + order[position]]) {
      return position - 1
    }
    return nil
  }

  /// The error for two neighbours in `order` with the same name.
  private func duplicate(at position: Int, from first: Int) -> JSONError {
    let (a, b) = (members[first + order[position]], members[first + order[position + 1]])
    return JSONError(
      offset: max(a.offset, b.offset),
      reason: .duplicateMember(String(decoding: name(of: a), as: UTF8.self)))
  }

  /// Sorts the last members by name; members of equal names keep their order.
  private mutating func makeOrder(from first: Int) {
    order.removeAll(keepingCapacity: true)
    order.append(contentsOf: 0..<members.count - first)
    // A sort that allocates takes longer than reading most objects.
    guard order.count <= 32 else {
      order = order.sorted { precedes(members[first + $0], members[first + $1]) }
      return
    }
    for position in 1..<order.count {
      var hole = position
      while hole > 0, precedes(members[first + order[hole]], members[first + order[hole - 1]]) {
        order.swapAt(hole, hole - 1)
        hole -= 1
      }
    }
  }
}
