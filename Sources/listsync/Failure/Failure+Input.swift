import ListDocuments
import ListModel
import Terminal

extension Failure {
  init(_ error: SnapshotError, in file: String) {
    let (text, advice) = Self.words(for: error)
    self.init(.failure, "\(file)\(text)", advice)
  }

  private static func words(for error: SnapshotError) -> (text: String, advice: String?) {
    switch error {
    case .emptyInput:
      return (
        " is empty", "Nothing was changed. Write an empty list as [], or as a CSV header alone."
      )
    case .json(let error, let position):
      return (
        ":\(position.line):\(position.column): not JSON: \(Output.shortened("\(error)"))", repair
      )
    case .limit(let exceeded, let position):
      return (":\(position.line):\(position.column): \(exceeded)", advice(on: exceeded.limit))
    case .csv(let error, let position):
      return (":\(position.line):\(position.column): \(text(of: error, position))", repair)
    case .noArray(let pointer, let found, let arrays):
      return noArray(pointer, found, arrays)
    case .noIDColumn(let field, let columns):
      let names = some(of: columns.map { "'\(Output.shortened($0))'" })
      return (": there is no column '\(field)'; there are: \(names)", "Name one with --id.")
    case .noID(let samples, let count): return noID(samples, count)
    case .duplicateIDs(let samples, let count): return duplicates(samples, count)
    }
  }

  private static let repair =
    "Nothing was changed. Correct the input there, or name its format with --format."

  private static func text(
    of error: SnapshotError.CSVFailure, _ position: TextPosition
  ) -> String {
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
    let finding =
      found.map { "\(place) is of kind \($0), not an array" } ?? "there is no \(place)"
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
