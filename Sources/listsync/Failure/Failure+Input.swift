import Foundation
import Gzip
import ListDocuments
import ListModel
import SyncService

/// The tables of the errors of input: snapshots, deltas, edits, proofs and bundles.
extension Failure {
  /// The error of a file's content. Nil for an error that this package does not define.
  ///
  /// - Parameter position: the part of the file that is refused; nil for the whole file.
  init?(refusing path: String, at position: TextPosition?, _ error: any Error) {
    let file = Wording.input(path)
    let text = "\(file): \(Output.shortened("\(error)"))"
    switch error {
    case let exceeded as ExceededLimit:
      self.init(
        .failure, "\(file): \(exceeded)", Self.advice(on: exceeded.limit), problem: .tooLarge)
    case let error as DeltaError:
      self.init(
        .failure, text,
        Self.advice(on: error.exceeded)
          ?? "Nothing was changed. Make a delta with 'listsync delta LIST --since VERSION' or "
          + "'listsync edit LIST --dry-run'.")
    case let error as EditError:
      self.init(
        .failure, "\(Self.place(path, error.position)): \(Output.shortened(error.reason))",
        Self.advice(on: error.exceeded) ?? "Nothing was changed. Write one edit per line, such as "
          + #"{"put":{"id":"zion"},"after":"arches"}, {"remove":"zion"} or "#
          + #"{"move":"zion","first":true}."#)
    case let error as ProofError: self.init(text, Self.row(of: error))
    case is HeadRefusal:
      self.init(
        .integrity, text, "Get a note from the owner of the list, and compare the key with theirs.")
    case is GzipError: self.init(.integrity, text, Self.getAgain)
    case let error as BundleError: self.init(error, in: file)
    case ServiceError.diverged(let cursor, let list, let here):
      self.init(
        .diverged,
        "\(list) diverged: its history, now at \(here.short), does not contain \(cursor.short) of "
          + file,
        "Nothing was changed. Both lists got commits of their own. Apply the bundle under another "
          + "name with --as, and compare the lists.")
    default:
      self.init(error)
      if let position { message = "\(Self.place(path, position)): \(message)" }
    }
  }

  private static func place(_ path: String, _ position: TextPosition) -> String {
    "\(Wording.input(path)):\(position.line):\(position.column)"
  }

  private static func row(of error: ProofError) -> Row {
    switch error {
    case .document(let error):
      Self.advice(on: error.exceeded).map { .failure($0) }
        ?? .integrity("It is no proof: 'listsync prove LIST ID' makes one.")
    case .otherCursor:
      .diverged(
        "It is a proof about another history, or it ends at another version: 'listsync prove' "
          + "--until REV makes one that ends at yours.")
    case .path, .wrongRoot, .wrongIndex, .wrongCount, .wrongHistory:
      .integrity("The proof is damaged or forged. Trust nothing in it.")
    }
  }

  /// The error of a delta that is applied to a snapshot file.
  init(refusingDeltaOf path: String, at position: TextPosition, _ error: DeltaError) {
    let (file, place) = (Wording.input(path), Self.place(path, position))
    let text = Output.shortened("\(error)")
    let damaged =
      "Nothing was written. Make the delta again with 'listsync delta LIST --since VERSION' or "
      + "'listsync replay LIST'."
    switch error {
    case .json: self.init(.failure, "\(file): \(text)", Self.advice(on: error.exceeded) ?? damaged)
    case .malformed, .limit:
      self.init(.failure, "\(place): \(text)", Self.advice(on: error.exceeded) ?? damaged)
    case .notTheStart(let expected, let found):
      self.init(
        .diverged,
        "\(place): the delta starts from the root \(expected), but the list has \(found)",
        "Nothing was written. Name the deltas in their order, and read the file with the --id of "
          + "the list. 'listsync compare FILE NEW' makes a delta that starts from a file.")
    case .changes: self.init(.integrity, "\(place): the changes do not fit: \(text)", damaged)
    case .wrongResult: self.init(.integrity, "\(place): \(text)", damaged)
    }
  }

  private static let getAgain =
    "Nothing was changed. Get the file again, or create it again with 'listsync bundle create'."

  private init(_ error: BundleError, in file: String) {
    let text = Output.shortened("\(error)")
    if let exceeded = error.exceeded {
      self.init(.failure, "\(file): \(text)", Self.advice(on: exceeded.limit))
    } else if error.isNoBundle {
      self.init(
        .failure, "\(file) is not a bundle: \(text)",
        "Nothing was changed. 'listsync bundle create' makes bundles of format list-bundle/1.")
    } else {
      self.init(.integrity, "\(file) is damaged: \(text)", Self.getAgain)
    }
  }
}

extension BundleError {
  /// Whether the first line cannot start a bundle.
  fileprivate var isNoBundle: Bool {
    switch self {
    case .document(.json, let line), .cutOff(let line, _): line == 1
    case .document(.malformed(let place, _), let line):
      line == 1 && (place.tokens.isEmpty || place.tokens == ["format"])
    default: false
    }
  }
}

/// The table of the errors of a snapshot.
extension Failure {
  init(_ error: SnapshotError, in file: String, given: GivenOptions = GivenOptions()) {
    var problem = ProblemKind.unprocessable
    if case .limit = error { problem = .tooLarge }
    self.init(
      .failure, file + Self.text(of: error), Self.advice(on: error, given), problem: problem)
  }

  /// The text behind the name of the file.
  private static func text(of error: SnapshotError) -> String {
    let text = Output.printable("\(error)")
    switch error {
    case .emptyInput, .gzip, .utf16: return " \(text)"
    case .json(_, let position), .limit(_, let position), .csv(_, let position):
      return ":\(position.line):\(position.column): \(text)"
    case .noArray, .noIDColumn, .noID, .duplicateIDs:
      return ([": \(text)"] + error.samples.map { "  \(Output.printable($0))" })
        .joined(separator: "\n")
    case .missingAndDuplicateIDs(let missing, let repeated):
      return "\(Self.text(of: missing))\n\(Self.text(of: repeated).dropFirst(2))"
    }
  }

  private static func advice(on error: SnapshotError, _ given: GivenOptions) -> String? {
    let repair =
      "Correct the input there\(given.format ? "" : ", or name its format with --format")."
    switch error {
    case .emptyInput: return "Write an empty list as [], or as a CSV header alone."
    case .gzip: return "Decompress it: gzip -dc FILE | listsync …, with - as the file."
    case .utf16:
      return "Convert it: iconv -f UTF-16 -t UTF-8 FILE | listsync …, with - as the file, and with "
        + "--format csv for a table."
    case .limit(let exceeded, _): return advice(on: exceeded.limit)
    case .csv(.cutRow, _):
      return "Get the file again. If it is whole, accept it with --force-cut."
    case .csv(.raggedRow, _): return "Correct the row, or leave out --strict-rows."
    case .csv(.unclosedQuote, _), .csv(.textAfterQuote, _):
      return "\(repair) If quotes are ordinary characters, add --quoting none."
    case .json, .csv: return repair
    case .noArray(_, _, let arrays):
      let places = arrays.map { $0.tokens.isEmpty ? "the document itself" : "\($0)" }
      return places.isEmpty
        ? "It contains no array of items."
        : "Arrays are at: \(some(of: places)). Name one with --items."
    case .noIDColumn(let field, let columns): return columnAdvice(columns, field)
    case .noID(let samples, _): return idAdvice(on: samples.first, given)
    case .duplicateIDs:
      return "Correct the file, name a better --id, or keep one item of each id with --duplicates "
        + "keep-first or keep-last."
    case .missingAndDuplicateIDs(let missing, _): return advice(on: missing, given)
    }
  }

  /// - Parameter item: the first item without an id.
  private static func idAdvice(
    on item: SnapshotError.MissingID?, _ given: GivenOptions
  ) -> String {
    // A rule that fits no item is refused whatever happens to items without an id.
    let end =
      given.duplicates ? "." : ", or leave out such items with --duplicates keep-first."
    guard let item, let members = item.members else {
      return "The items are not objects. For a list of bare strings, use '--id .'\(end)"
    }
    let field = item.failure.field
    // Not the member that was looked for: this advice would lead back to the same refusal.
    let others = members.filter { !field.utf8.elementsEqual($0.utf8) }
    let name = Output.printable(field.shortened)
    guard let other = others.first else { return "Give each item an '\(name)'\(end)" }
    let word = Output.printable(other.shortened)
    return "The members of the first are: \(some(of: others)). Name the id with --id '\(word)' or, "
      + "if only some items lack '\(name)', with --id '\(name)|\(word)'\(end)"
  }

  private static func some(of names: [String]) -> String {
    Output.printable(SnapshotError.some(of: names))
  }

  /// The advice on a header without the column of the id, or with another spelling of it.
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
