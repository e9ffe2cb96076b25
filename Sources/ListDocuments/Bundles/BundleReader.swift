import ListModel

/// Reads a bundle: a range of a list's versions as lines of JSON (NDJSON), each ended by LF.
///
///     bundle  = header { item } { step } end
///
///     header  = { "format":"list-bundle/1", "kind":"full"|"incremental", "list":name,
///                 "id_rule":[field, …]|null, "from":state, "changes":counts, "to":state }
///     counts  = { "removed":n, "moved":n, "inserted":n, "updated":n }
///     item    = { "id":id, "content":value }
///     step    = the DeltaDocument from a version to the next, in one line
///     end     = {"lines":n,"sha256":"hex64"}
///
/// - `from` and `to` are states with their headers, as `to` of ``DeltaDocument`` is. An
///   *incremental* bundle needs a list at `from`. A *full* bundle starts at version 0, the empty
///   list, or, if older versions were pruned, at its base. This is version 2 or a later one, whose
///   `count` items come first, in the order of the list; `changes` counts those of its own step.
/// - Steps lead from version to version without a gap, up to `to`; without steps, it is `from`.
/// - `lines` counts the lines before the last one, `sha256` covers all their bytes. The last line
///   is exactly as shown. In other lines, members can have any order, and unknown ones are ignored.
///
/// The reader checks form, order, counts, the last line, the base's root, and that every step
/// continues the state before it (``/ListModel/Chain``). Checks that need the list are not made
/// here: that the changes fit it, and lead to the root of the step. Neither is the existence of the
/// prerequisite.
///
/// **The digest comes last:** the results of ``read(_:)`` are valid only when ``finish()`` has
/// returned. So apply a bundle in one transaction, and commit it after that.
///
/// Memory is bounded by a chunk, the longest line (a step) and their events. After an error every
/// call throws it again.
public struct BundleReader {
  private let limits: Limits
  private var sequence: BundleSequence?
  /// The size of the base's items so far.
  private var baseSize: CommitSize
  /// The bytes of the current line so far.
  private var line: [UInt8] = []
  /// The number of bytes before the line.
  private var lineOffset = 0
  private var summary: BundleSummary?
  private var failure: BundleError?

  /// - Parameter limits: the limits of lines (without their ends), lists, items and ids.
  public init(limits: Limits = .standard) {
    self.limits = limits
    baseSize = CommitSize(limits)
  }

  /// Reads the next bytes, cut anywhere, and returns the content of the lines that end in them.
  ///
  /// - Throws: `BundleError`, which names the line.
  /// - Complexity: O(bytes + d log d) for steps of d changes.
  public mutating func read(_ chunk: [UInt8]) throws(BundleError) -> [BundleEvent] {
    if let failure { throw failure }
    do throws(BundleError) {
      return try events(of: chunk)
    } catch {
      failure = error
      throw error
    }
  }

  /// Checks that the bundle is complete.
  ///
  /// - Throws: `BundleError.cutOff`; errors of ``read(_:)``.
  public func finish() throws(BundleError) -> BundleSummary {
    if let failure { throw failure }
    guard let summary else { throw .cutOff(line: lineNumber, expected: expected) }
    return summary
  }

  private var lineNumber: Int { (sequence?.lineCount ?? 0) + 1 }
  private var expected: BundleLine { sequence?.expected ?? .header }

  private mutating func events(of chunk: [UInt8]) throws(BundleError) -> [BundleEvent] {
    var events: [BundleEvent] = []
    var rest = chunk[...]
    while !rest.isEmpty {
      guard summary == nil else { throw .trailingBytes(line: lineNumber + 1) }
      let bytes = rest.prefix { $0 != UInt8(ascii: "\n") }
      guard line.count + bytes.count <= limits[.lineBytes] else {
        throw .lineTooLong(line: lineNumber, byteLimit: limits[.lineBytes])
      }
      line += bytes
      rest = rest.dropFirst(bytes.count)
      guard rest.popFirst() != nil else { break }
      if let event = try endLine() { events.append(event) }
    }
    return events
  }

  /// Reads the line that has just ended; nil for the last line.
  private mutating func endLine() throws(BundleError) -> BundleEvent? {
    let ended = line
    line = []
    if expected == .end {
      summary = try checkedSummary(of: ended)
      return nil
    }
    let event = try event(of: ended)
    if case .header(let header) = event {
      sequence = try BundleSequence(header)
    } else {
      try sequence?.append(event)
    }
    sequence?.digest(ended)
    sequence?.digest([UInt8(ascii: "\n")])
    lineOffset += ended.count + 1
    return event
  }

  private mutating func event(of line: [UInt8]) throws(BundleError) -> BundleEvent {
    let isStep = expected == .step
    let root = try parse(line, contentDepth: isStep ? BareChanges.contentDepth : 1)
    do throws(DeltaError) {
      if isStep {
        try root.expect(kind: DeltaDocument.kind)
        return .step(try DeltaDocument(root: root))
      }
      if expected == .header {
        return .header(
          try root.read { root throws(DocumentField.Malformed) in try root.bundleHeader() })
      }
      let item = try root.read { root throws(DocumentField.Malformed) in try root.item() }
      do {
        try baseSize.add(item)
      } catch {
        throw .limit(error, at: root.place)
      }
      return .item(item)
    } catch {
      throw .document(error, line: lineNumber)
    }
  }

  private func parse(_ line: [UInt8], contentDepth: Int) throws(BundleError) -> DocumentField {
    do throws(JSONError) {
      let content = try Content(json: line, limits: limits, envelopeDepth: contentDepth)
      return DocumentField(content, limits: limits)
    } catch {
      let position = TextPosition(
        offset: error.offset, inLine: line, number: lineNumber, lineOffset: lineOffset)
      throw .document(.json(error, at: position), line: lineNumber)
    }
  }

  private func checkedSummary(of line: [UInt8]) throws(BundleError) -> BundleSummary {
    guard let summary = sequence?.summary else {
      preconditionFailure("the last line is never the first")
    }
    guard line.elementsEqual(summary.line.utf8) else {
      throw .wrongEnd(line: lineNumber, expected: summary.line)
    }
    return summary
  }
}
