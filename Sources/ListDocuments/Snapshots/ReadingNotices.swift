import ListModel

/// Faults of a table that a reader accepted, for a person to know.
public struct ReadingNotices: Equatable, Sendable {
  /// Rows of one kind: the lines of the first five, from 1, and how many there are.
  public struct Rows: Equatable, Sendable {
    public private(set) var lines: [Int] = []
    public private(set) var count = 0

    mutating func add(_ offset: Int, of bytes: [UInt8]) {
      count += 1
      if lines.count < 5 { lines.append(TextPosition(offset: offset, in: bytes).line) }
    }
  }

  /// Rows with fewer cells than the header; the other members of their items are absent.
  public internal(set) var shortRows = Rows()
  /// Rows with more cells than the header; the surplus is an array under the empty name.
  public internal(set) var longRows = Rows()
  /// Rows with a quote after blanks, which is an ordinary character.
  public internal(set) var latelyQuotedRows = Rows()
  /// Whether the last line has no line end, so that its last cell may not be whole.
  public internal(set) var endsInsideLine = false

  public var isEmpty: Bool { self == ReadingNotices() }
}

extension ReadingNotices {
  /// A sentence for each kind, for people. A program adds the name of the input.
  public var lines: [String] {
    [
      sentence(shortRows, "fewer cells than the header: their other members are absent"),
      sentence(longRows, "more cells than the header: these are an array under the empty name"),
      sentence(latelyQuotedRows, "a quote after a blank: it is an ordinary character there"),
      endsInsideLine
        ? "the last line has no line end: if the file was cut, its last cell is not whole" : nil,
    ].compactMap { $0 }
  }

  private func sentence(_ rows: Rows, _ text: String) -> String? {
    if rows.count == 0 { return nil }
    let numbers = rows.lines.map { "\($0)" }.joined(separator: ", ")
    let places = "\(rows.lines.count == 1 ? "line" : "lines") \(numbers)"
    let more = rows.count > rows.lines.count ? ", …" : ""
    return "\(rows.count) \(rows.count == 1 ? "row has" : "rows have") \(text) (\(places)\(more))"
  }
}
