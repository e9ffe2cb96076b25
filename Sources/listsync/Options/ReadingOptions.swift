import ArgumentParser
import ListDocuments
import ListModel

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
    name: .customLong("separator"),
    help: ArgumentHelp(
      """
      The character between cells, or 'tab' (default: a comma; a tab for .tsv; what a first line \
      such as 'sep=;' says).
      """, valueName: "character"),
    transform: UInt8.init(separator:))
  var separators: [UInt8] = []

  @Option(help: "What quotes in CSV mean; none: they are ordinary characters.")
  var quoting: SnapshotOptions.Quoting = .standard

  @Flag(
    name: .customLong("strict-rows"),
    help: "Refuse a table with a row that has more or fewer cells than the header.")
  var refusesRaggedRows = false

  @Flag(
    name: .customLong("force-cut"),
    help: "Accept a table that ends inside a row.")
  var acceptsCutFile = false

  func validate() throws { _ = try givenRule() }

  /// Whether no option except --id was given.
  var isOnlyIDRule: Bool {
    items == nil && format == nil && duplicates == .refuse && separators.isEmpty
      && quoting == .standard && !refusesRaggedRows && !acceptsCutFile
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
  func read(
    _ file: String, rule: IDRule, allowsOneItem: Bool = false, index: Int? = nil
  ) throws -> ReadSnapshot {
    let read = try read(input(file), rule: rule, allowsOneItem: allowsOneItem, index: index) {
      reader, bytes, name throws(SnapshotError) in
      try reader.read(bytes, fileName: name)
    }
    Self.tell(read.notices, of: file)
    return read
  }

  private static func tell(_ notices: ReadingNotices, of file: String) {
    for line in notices.lines { Output.diagnostic("\(Wording.input(file)): \(line)") }
  }

  /// The bytes of a file, or of standard input for `-`.
  func input(_ file: String) throws -> InputFile {
    InputFile(name: file, bytes: try InputFile.bytes(of: file, limits: Settings.limits()))
  }

  /// Parses a file for a commit.
  func outline(
    _ file: InputFile, rule: IDRule
  ) throws -> (outline: ListOutline, leftOutCount: Int) {
    let read = try read(file, rule: rule) { reader, bytes, name throws(SnapshotError) in
      try reader.outline(bytes, fileName: name)
    }
    Self.tell(read.notices, of: file.name)
    return (read.outline, read.leftOutCount)
  }

  /// Reads a file with the texts of its items, or standard input for `-`.
  ///
  /// - Returns: nil for an empty file, if that is allowed.
  func text(
    _ file: String, rule: IDRule, allowsEmpty: Bool = false, index: Int
  ) throws -> SnapshotText? {
    do {
      let text = try read(input(file), rule: rule, index: index) {
        reader, bytes, name throws(SnapshotError) in
        try reader.text(bytes, fileName: name)
      }
      Self.tell(text.read.notices, of: file)
      return text
    } catch VerbError.notSnapshot(_, .emptyInput, _) where allowsEmpty {
      return nil
    }
  }

  private func read<Result>(
    _ file: InputFile, rule: IDRule, allowsOneItem: Bool = false, index: Int? = nil,
    _ read: (SnapshotReader, [UInt8], _ name: String?) throws(SnapshotError) -> Result
  ) throws -> Result {
    var options = try options(rule: rule, index: index)
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
      let given = GivenOptions(format: format != nil, duplicates: duplicates != .refuse)
      throw VerbError.notSnapshot(file.name, error, given: given)
    }
  }

  /// - Parameter index: which file of a verb with several is read; each can have its own separator.
  func options(rule: IDRule, index: Int? = nil) throws -> SnapshotOptions {
    guard index != nil || separators.count <= 1 else {
      throw ValidationError("--separator: name one, since there is one file.")
    }
    let separator = separators.isEmpty ? nil : separators[min(index ?? 0, separators.count - 1)]
    let isTable = separator != nil || quoting == .none
    var options = SnapshotOptions(
      format: format ?? (isTable ? .csv : nil), items: items, idRule: rule,
      duplicates: duplicates, separator: separator, limits: try Settings.limits())
    options.quoting = quoting
    (options.refusesRaggedRows, options.acceptsCutFile) = (refusesRaggedRows, acceptsCutFile)
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
