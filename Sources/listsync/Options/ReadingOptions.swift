import ArgumentParser
import ListDocuments
import ListModel
import Terminal

extension SnapshotOptions.Format: ExpressibleByArgument {}
extension SnapshotOptions.Duplicates: ExpressibleByArgument {}
extension SnapshotOptions.Quoting: ExpressibleByArgument {}

/// How a snapshot file is read.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The member or column that holds an item's id, or a JSON Pointer such as /code. Repeat it \
      for a compound id. 'Link|link' uses the first that is present; '.' is for a list of bare \
      strings. (default: as in the list's last commit, else id)
      """, valueName: "field"))
  var id: [String] = []

  @Option(
    help: ArgumentHelp(
      "The JSON Pointer of the array in a JSON object, such as /data.", valueName: "pointer"),
    transform: JSONPointer.init(argument:))
  var items: JSONPointer?

  @Option(help: "The file's format (default: by its name and first bytes).")
  var format: SnapshotOptions.Format?

  @Option(help: "How to treat items without an id, or with the id of an earlier item.")
  var duplicates: SnapshotOptions.Duplicates = .refuse

  @Option(
    help: ArgumentHelp(
      "The character between cells, or 'tab' (default: a comma; a tab for .tsv).",
      valueName: "character"),
    transform: UInt8.init(separator:))
  var separator: UInt8?

  @Option(help: "What quotes in CSV mean; none: they are ordinary characters.")
  var quoting: SnapshotOptions.Quoting = .standard

  func validate() throws { _ = try givenRule() }

  /// Whether no option except --id was given.
  var isOnlyIDRule: Bool {
    items == nil && format == nil && duplicates == .refuse && separator == nil
      && quoting == .standard
  }

  /// The id rule that was given; nil without --id.
  func givenRule() throws -> IDRule? {
    guard !id.isEmpty else { return nil }
    do {
      return try IDRule(id)
    } catch {
      throw ValidationError("--id: \(Failure.text(of: error))")
    }
  }

  /// The id rule to read with: the given one, else the one that the list remembers.
  func rule(remembered: String?) throws -> IDRule {
    try givenRule() ?? remembered.flatMap(IDRule.init(text:)) ?? .standard
  }

  /// Reads a file, or standard input for `-`.
  ///
  /// - Parameter allowsOneItem: whether a JSON object is one item, unless an option says otherwise.
  func read(_ file: String, rule: IDRule, allowsOneItem: Bool = false) throws -> ReadSnapshot {
    try read(input(file), rule: rule, allowsOneItem: allowsOneItem) {
      reader, bytes, name throws(SnapshotError) in
      try reader.read(bytes, fileName: name)
    }
  }

  /// The bytes of a file, or of standard input for `-`.
  func input(_ file: String) throws -> InputFile {
    InputFile(name: file, bytes: try InputFile.bytes(of: file, limits: Settings.limits()))
  }

  /// Parses a file for a commit.
  func outline(
    _ file: InputFile, rule: IDRule
  ) throws -> (outline: ListOutline, leftOutCount: Int) {
    try read(file, rule: rule) { reader, bytes, name throws(SnapshotError) in
      try reader.outline(bytes, fileName: name)
    }
  }

  /// Reads a file with the texts of its items, or standard input for `-`.
  ///
  /// - Returns: nil for an empty file, if that is allowed.
  func text(_ file: String, rule: IDRule, allowsEmpty: Bool = false) throws -> SnapshotText? {
    do {
      return try read(input(file), rule: rule) { reader, bytes, name throws(SnapshotError) in
        try reader.text(bytes, fileName: name)
      }
    } catch VerbError.notSnapshot(_, .emptyInput, _) where allowsEmpty {
      return nil
    }
  }

  private func read<Result>(
    _ file: InputFile, rule: IDRule, allowsOneItem: Bool = false,
    _ read: (SnapshotReader, [UInt8], _ name: String?) throws(SnapshotError) -> Result
  ) throws -> Result {
    var options = try options(rule: rule)
    let bytes = file.bytes
    if allowsOneItem, options.format == nil, options.items == nil,
      bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{")
    {
      options.format = .ndjson
    }
    let progress = ProgressLine("reading \(Wording.input(file.name))")
    defer { progress.finish() }
    let reader = SnapshotReader(options: options) { read in
      progress.show(part: read, of: bytes.count)
    }
    do {
      return try read(reader, bytes, file.name == "-" ? nil : file.name)
    } catch {
      throw VerbError.notSnapshot(file.name, error, hasFormat: format != nil)
    }
  }

  func options(rule: IDRule) throws -> SnapshotOptions {
    let isTable = separator != nil || quoting == .none
    var options = SnapshotOptions(
      format: format ?? (isTable ? .csv : nil), items: items, idRule: rule,
      duplicates: duplicates, separator: separator, limits: try Settings.limits())
    options.quoting = quoting
    return options
  }
}

extension JSONPointer: ArgumentValue {
  package static var argumentRule: String { "write a JSON Pointer such as /data or /result/rows." }
}

extension UInt8 {
  /// - Throws: `ValidationError` when the text cannot separate cells.
  fileprivate init(separator text: String) throws {
    if text == "tab" || text == "\\t" {
      self = 0x09
    } else if text.utf8.count == 1, let byte = text.utf8.first,
      ![UInt8(ascii: "\""), 0x0A, 0x0D].contains(byte)
    {
      self = byte
    } else {
      throw ValidationError("write one ASCII character, except a quote and a line end; or 'tab'.")
    }
  }
}
