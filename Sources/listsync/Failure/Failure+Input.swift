import ListDocuments
import ListModel
import Terminal

extension Failure {
  /// - Parameter hasFormat: whether the user named the file's format.
  init(_ error: SnapshotError, in file: String, hasFormat: Bool = false) {
    let (text, advice) = Self.words(for: error, hasFormat)
    var problem = ProblemKind.unprocessable
    if case .limit = error { problem = .tooLarge }
    self.init(.failure, "\(file)\(text)", advice, problem: problem)
  }

  private static func words(
    for error: SnapshotError, _ hasFormat: Bool
  ) -> (text: String, advice: String?) {
    let repair =
      hasFormat
      ? "Correct the input there." : "Correct the input there, or name its format with --format."
    switch error {
    case .emptyInput:
      return (" is empty", "Write an empty list as [], or as a CSV header alone.")
    case .gzip:
      return (
        " is compressed with gzip", "Decompress it: gzip -dc FILE | listsync …, with - as the file."
      )
    case .json(let error, let position):
      let text = Output.shortened(error.asReason)
      return (":\(position.line):\(position.column): \(text)", repair)
    case .limit(let exceeded, let position):
      return (":\(position.line):\(position.column): \(exceeded)", advice(on: exceeded.limit))
    case .csv(let error, let position):
      let quoting = "\(repair) If quotes are ordinary characters, add --quoting none."
      let isQuoting = error == .unclosedQuote || error == .textAfterQuote
      return (
        ":\(position.line):\(position.column): \(text(of: error, position))",
        isQuoting ? quoting : repair
      )
    case .noArray(let pointer, let found, let arrays):
      return noArray(pointer, found, arrays)
    case .noIDColumn(let field, let columns):
      let names = some(of: columns.map { "'\(Output.shortened($0))'" })
      return (
        ": there is no column '\(field)'; there are: \(names)",
        separatorAdvice(columns, field) ?? "Name one with --id."
      )
    case .noID(let samples, let count): return noID(samples, count)
    case .duplicateIDs(let samples, let count): return duplicates(samples, count)
    case .missingAndDuplicateIDs(let missing, let repeated):
      let (one, other) = (words(for: missing, hasFormat), words(for: repeated, hasFormat))
      return ("\(one.text)\n\(other.text.dropFirst(2))", one.advice)
    }
  }

  /// Names the separator by which the header would have the field, or, if the header is a single
  /// column, a usual one that it contains; nil if there is none.
  private static func separatorAdvice(_ columns: [String], _ field: String) -> String? {
    let byField = columns.lazy.flatMap { column in
      column.unicodeScalars.filter { !$0.properties.isAlphabetic && $0.isASCII }.filter { scalar in
        column.split(separator: Character(scalar)).contains { $0.utf8.elementsEqual(field.utf8) }
      }
    }.first
    let usual = ";\t|^".unicodeScalars.first { columns.count == 1 && columns[0].contains("\($0)") }
    guard let scalar = byField ?? usual else { return nil }
    let word = scalar == "\t" ? "tab" : "'\(scalar)'"
    return "If \(word) separates the cells, add --separator \(word); else name a column with --id."
  }

  private static func text(of error: SnapshotError.CSVFailure, _ position: TextPosition) -> String {
    switch error {
    case .unclosedQuote: "the quote that opens here is never closed"
    case .textAfterQuote: "text after a closing quote; write a quote inside a cell twice"
    case .notUTF8: "not UTF-8 at byte \(position.offset)"
    case .duplicateColumn(let name, let first, let second):
      "columns \(first + 1) and \(second + 1) have the same name, '\(Output.shortened(name))'"
    }
  }

  private static func noArray(
    _ pointer: JSONPointer, _ found: String?, _ arrays: [JSONPointer]
  ) -> (String, String?) {
    let place = pointer.tokens.isEmpty ? "the document" : "\(pointer)"
    let finding = found.map { "\(place) is of kind \($0), not an array" } ?? "there is no \(place)"
    let places = arrays.map {
      $0.tokens.isEmpty ? "the document itself" : Output.shortened($0.description)
    }
    let advice =
      places.isEmpty
      ? "It contains no array of items."
      : "Arrays are at: \(some(of: places)). Name one with --items."
    return (": \(finding)", advice)
  }

  private static func noID(
    _ samples: [SnapshotError.MissingID], _ count: Int
  ) -> (String, String?) {
    let lines = samples.map { sample in
      "  item \(sample.index + 1) (\(sample.position)): \(text(of: sample.failure))"
    }
    let members = samples.first?.members
    let names = members.map { some(of: $0.map { Output.shortened($0) }) }
    let fields = names.map { "The members of the first are: \($0). Name the id with --id" }
    let advice = fields ?? "The items are not objects. For a list of bare strings, use --id ."
    return (
      ": \(Wording.count(count, "item has no id", "items have no id"))\n"
        + (lines + more(count, samples.count)).joined(separator: "\n"),
      advice + ", or leave out such items with --duplicates keep-first."
    )
  }

  private static func text(of error: IDRule.Failure) -> String {
    switch error {
    case .missing(let field): "no '\(field)'"
    case .unsuitable(let field, let kind): "'\(field)' is of kind \(kind), not a string or number"
    case .empty(let field): "'\(field)' is empty"
    case .holdsSeparator(let field):
      "'\(field)' contains U+001F, which separates the fields of an id"
    }
  }

  private static func duplicates(
    _ samples: [SnapshotError.DuplicateID], _ count: Int
  ) -> (String, String?) {
    let lines = samples.map { sample in
      """
        '\(Output.shortened(sample.id.text))': item \(sample.first + 1) \
      (\(sample.firstPosition)) and item \(sample.second + 1) (\(sample.secondPosition))
      """
    }
    return (
      ": \(Wording.count(count, "item repeats an id", "items repeat an id"))\n"
        + (lines + more(count, samples.count)).joined(separator: "\n"),
      """
      Correct the file, name a better --id, or keep one item of each id with --duplicates \
      keep-first or keep-last.
      """
    )
  }

  /// At most 20 names, and how many more there are.
  private static func some(of names: [String]) -> String {
    let shown = names.prefix(20).joined(separator: ", ")
    return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
  }

  private static func more(_ count: Int, _ shown: Int) -> [String] {
    count > shown ? ["  and \(count - shown) more"] : []
  }

  static func text(of error: IDRuleError) -> String {
    switch error {
    case .empty: "a field has no name."
    case .notAlone: "'.' is for a list of bare strings; leave out other fields."
    case .malformedPointer(let text): "'\(text)' is not a JSON Pointer (RFC 6901)."
    }
  }
}
