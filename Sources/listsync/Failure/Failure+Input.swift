import ListDocuments
import ListModel
import Terminal

extension Failure {
  /// - Parameter hasFormat: whether the user named the file's format.
  init(_ error: SnapshotError, in file: String, hasFormat: Bool = false) {
    var problem = ProblemKind.unprocessable
    if case .limit = error { problem = .tooLarge }
    self.init(
      .failure, file + Self.text(of: error), Self.advice(on: error, hasFormat), problem: problem)
  }

  /// What follows the name of the file.
  private static func text(of error: SnapshotError) -> String {
    let text = Output.printable("\(error)")
    switch error {
    case .emptyInput, .gzip: return " \(text)"
    case .json(_, let position), .limit(_, let position), .csv(_, let position):
      return ":\(position.line):\(position.column): \(text)"
    case .noArray, .noIDColumn, .noID, .duplicateIDs:
      return ([": \(text)"] + error.samples.map { "  \(Output.printable($0))" })
        .joined(separator: "\n")
    case .missingAndDuplicateIDs(let missing, let repeated):
      return "\(Self.text(of: missing))\n\(Self.text(of: repeated).dropFirst(2))"
    }
  }

  private static func advice(on error: SnapshotError, _ hasFormat: Bool) -> String? {
    let repair =
      hasFormat
      ? "Correct the input there." : "Correct the input there, or name its format with --format."
    switch error {
    case .emptyInput: return "Write an empty list as [], or as a CSV header alone."
    case .gzip: return "Decompress it: gzip -dc FILE | listsync …, with - as the file."
    case .json: return repair
    case .limit(let exceeded, _): return advice(on: exceeded.limit)
    case .csv(.unclosedQuote, _), .csv(.textAfterQuote, _):
      return "\(repair) If quotes are ordinary characters, add --quoting none."
    case .csv: return repair
    case .noArray(_, _, let arrays):
      let places = arrays.map { $0.tokens.isEmpty ? "the document itself" : "\($0)" }
      return places.isEmpty
        ? "It contains no array of items."
        : "Arrays are at: \(some(of: places)). Name one with --items."
    case .noIDColumn(let field, let columns):
      return separatorAdvice(columns, field) ?? "Name one with --id."
    case .noID(let samples, _):
      let fields = samples.first?.members.map {
        "The members of the first are: \(some(of: $0)). Name the id with --id"
      }
      return (fields ?? "The items are not objects. For a list of bare strings, use --id .")
        + ", or leave out such items with --duplicates keep-first."
    case .duplicateIDs:
      return """
        Correct the file, name a better --id, or keep one item of each id with --duplicates \
        keep-first or keep-last.
        """
    case .missingAndDuplicateIDs(let missing, _): return advice(on: missing, hasFormat)
    }
  }

  private static func some(of names: [String]) -> String {
    Output.printable(SnapshotError.some(of: names))
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

  static func text(of error: IDRuleError) -> String {
    switch error {
    case .empty: "a field has no name."
    case .notAlone: "'.' is for a list of bare strings; leave out other fields."
    case .malformedPointer(let text): "'\(text)' is not a JSON Pointer (RFC 6901)."
    }
  }
}
