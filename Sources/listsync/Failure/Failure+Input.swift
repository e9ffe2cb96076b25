import ListDocuments
import ListModel
import Terminal

extension Failure {
  init(_ input: InputError) {
    let file = input.file == "-" ? "standard input" : input.file
    let (text, advice) = Self.words(for: input.error)
    self.init(.failure, "\(file)\(text)", advice)
  }

  private static func words(for error: SnapshotError) -> (text: String, advice: String?) {
    switch error {
    case .emptyInput:
      return (
        " is empty", "Nothing was changed: an empty list is written [], or as a CSV header alone."
      )
    case .json(let error, let position):
      return (
        ":\(position.line):\(position.column): not JSON: \(Output.shortened("\(error)"))",
        mending
      )
    case .limit(let exceeded, let position):
      return (":\(position.line):\(position.column): \(exceeded)", advice(on: exceeded.limit))
    case .csv(let problem, let position):
      return (":\(position.line):\(position.column): \(text(of: problem, position))", mending)
    case .noArray(let pointer, let found, let arrays):
      return noArray(pointer, found, arrays)
    case .noIDColumn(let field, let columns):
      let names = some(of: columns.map { "'\(Output.shortened($0))'" })
      return (": there is no column '\(field)'; there are: \(names)", "Name one with --id.")
    case .noID(let samples, let count): return noID(samples, count)
    case .duplicateIDs(let samples, let count): return duplicates(samples, count)
    }
  }

  private static let mending =
    "Nothing was changed: mend the input there, or name its form with --format."

  private static func text(
    of problem: SnapshotError.CSVProblem, _ position: TextPosition
  ) -> String {
    switch problem {
    case .unclosedQuote: "the quote that opens here is never closed"
    case .textAfterQuote: "text after a closing quote; a quote inside a cell is written twice"
    case .notUTF8: "not UTF-8 at byte \(position.offset)"
    case .duplicateColumn(let name, let first, let second):
      """
      column '\(Output.shortened(name))' stands in the header twice, as number \(first + 1) and \
      \(second + 1)
      """
    }
  }

  private static func noArray(
    _ pointer: JSONPointer, _ found: String?, _ arrays: [JSONPointer]
  ) -> (String, String?) {
    let place = pointer.tokens.isEmpty ? "the document" : "\(pointer)"
    let what = found.map { "\(place) is of kind \($0), not an array" } ?? "there is no \(place)"
    let places = arrays.map {
      $0.tokens.isEmpty ? "the document itself" : Output.shortened($0.description)
    }
    let advice =
      places.isEmpty
      ? "It holds no array of items."
      : "Arrays are at: \(some(of: places)). Name one with --items."
    return (": \(what)", advice)
  }

  private static func noID(
    _ samples: [SnapshotError.MissingID], _ count: Int
  ) -> (String, String?) {
    let lines = samples.map { sample in
      "  item \(sample.index + 1) (\(sample.position)): \(text(of: sample.problem))"
    }
    let members = samples.first?.members
    let names = members.map { some(of: $0.map { Output.shortened($0) }) }
    let fields = names.map { "Its members are: \($0). Name the id with --id" }
    let advice = fields ?? "Items are no objects; for a list of bare strings use --id ."
    return (
      ": \(Wording.count(count, "item has no id", "items have no id"))\n"
        + (lines + more(count, samples.count)).joined(separator: "\n"),
      advice + ", or leave such items out with --duplicates keep-first."
    )
  }

  private static func text(of problem: IDRule.Problem) -> String {
    switch problem {
    case .missing(let field): "no '\(field)'"
    case .unsuitable(let field, let kind): "'\(field)' is of kind \(kind), not a string or number"
    case .empty(let field): "'\(field)' is empty"
    case .holdsSeparator(let field): "'\(field)' holds U+001F, which joins the parts of an id"
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
      Mend the file, name a better --id, or take one of each with --duplicates keep-first or \
      keep-last.
      """
    )
  }

  /// The first of many names, as far as a person reads them.
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
    case .notAlone: "'.' means that items are bare strings, and stands alone."
    case .malformedPointer(let text): "'\(text)' is not a JSON Pointer (RFC 6901)."
    }
  }
}
