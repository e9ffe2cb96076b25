import Foundation
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
      return columnAdvice(columns, field)
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

  /// The advice on a header without the column of the id, which may only be spelled otherwise.
  private static func columnAdvice(_ columns: [String], _ field: String) -> String {
    let padded = columns.first {
      $0.trimmingCharacters(in: .whitespaces).utf8.elementsEqual(field.utf8)
    }
    if let padded {
      let name = Output.shortened(padded)
      return "Blanks are part of a column's name: write --id '\(name)', or correct the header."
    }
    guard let byte = LikelySeparator.find(in: columns.lazy.map(\.utf8), field: field.utf8) else {
      return "Name one with --id."
    }
    let word = byte == 0x09 ? "tab" : "'\(Character(Unicode.Scalar(byte)))'"
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
