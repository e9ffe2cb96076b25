import Hashing
import ListModel

/// Reads a bundle: a range of a list's versions as lines of JSON (NDJSON), each ended by LF.
///
///     bundle  = header { item } { step } end
///
///     header  = { "format":"list-bundle/1", "list":name, "kind":"full"|"incremental",
///                 "id_rule":[field, …]|null, "prerequisite":state|null, "base":base|null,
///                 "target":state }
///     state   = { version, "previous":hex64 }
///     base    = { version, "previous":hex64,
///                 "changes":{"removed":n,"moved":n,"inserted":n,"updated":n} }
///     version = "cursor":cursor, "version":n, "committed_at":time, "author":text|null,
///               "message":text|null, "count":n, "root":hex64
///     item    = { "id":id, "content":value }
///     step    = { version, "removed":[…], "moved":[…], "inserted":[…], "updated":[…] }
///     end     = {"lines":n,"sha256":"hex64"}
///
/// - An *incremental* bundle has a prerequisite and no base; its steps start at the prerequisite. A
///   *full* bundle has no prerequisite. It starts at version 0, the empty list, or, if older
///   versions were pruned, at its base, whose `count` items come first, in the order of the list.
/// - Steps lead from version to version without a gap, up to `target`; without steps, `target` is
///   the start. The four arrays are those of ``DeltaDocument``; `time` is RFC 3339 in UTC, exact
///   to the millisecond. `count`, `root` and `cursor` are those after the step. `previous` is the
///   chain of the version before; with it, a state proves that its root belongs to its cursor. For
///   a step, the state before it says it. Version 0 has no time, author, message or `previous`.
/// - `lines` counts the lines before the last one, `sha256` covers all their bytes. The last line
///   is exactly as shown. In other lines, members can have any order, and unknown ones are ignored.
///
/// The reader checks form, order, counts, the last line, the base's root, that every step can
/// follow from the one before, and the cursor that follows (``/ListModel/Chain``). Checks that need
/// the list are not made here: unique ids, removed items and old contents, and the root after a
/// step. Neither is the existence of the prerequisite.
///
/// **The digest comes last:** the results of ``read(_:)`` are valid only when ``finish()`` has
/// returned. So apply a bundle in one transaction, and commit it after that.
///
/// Memory is bounded by a chunk, the longest line (a step) and their events. After an error every
/// call throws it again.
public struct BundleReader {
  static let format = "list-bundle/1"

  private let limits: Limits
  private var sequence: BundleSequence?
  /// The size of the base's items so far.
  private var baseSize: CommitSize
  private var digest = SHA256()
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
    guard expected != .end else {
      summary = try checkedSummary(of: ended)
      return nil
    }
    let event = try event(of: ended)
    digest.update(line: ended)
    lineOffset += ended.count + 1
    return event
  }

  private mutating func event(of line: [UInt8]) throws(BundleError) -> BundleEvent {
    let root = try parse(line)
    guard var sequence else {
      // Its states had the whole chain, and no header.
      let target = root["target"]
      if target["chain"].ifPresent != nil, target["previous"].ifPresent == nil {
        throw .unreleased
      }
      let header = try read(root) { field throws(DocumentField.Malformed) in
        try field.bundleHeader()
      }
      sequence = try BundleSequence(header)
      return .header(header)
    }
    defer { self.sequence = sequence }
    if sequence.expected == .item {
      let item = try read(root) { field throws(DocumentField.Malformed) in try field.item() }
      do {
        try baseSize.add(item)
      } catch {
        throw .limit(error, line: lineNumber, at: root.place)
      }
      try sequence.append(item)
      return .item(item)
    }
    let (step, cursor) = try read(root) { field throws(DocumentField.Malformed) in
      try field.bundleStep(after: sequence.state)
    }
    try sequence.append(step, stated: cursor)
    return .step(step)
  }

  private func checkedSummary(of line: [UInt8]) throws(BundleError) -> BundleSummary {
    guard let sequence else { preconditionFailure("the last line is never the first") }
    let summary = BundleSummary(
      header: sequence.header, lineCount: sequence.lineCount, digest: digest.hex)
    if line == summary.line { return summary }
    let root = try parse(line)
    let (lines, digest) = try read(root) { field throws(DocumentField.Malformed) in
      (try field["lines"].index(), try field["sha256"].string())
    }
    if lines != summary.lineCount {
      throw .wrongLineCount(line: lineNumber, stated: lines, found: summary.lineCount)
    }
    if digest != summary.digest {
      throw .wrongDigest(line: lineNumber, stated: digest, found: summary.digest)
    }
    throw .malformed(
      line: lineNumber, at: JSONPointer(tokens: []),
      expected: "exactly \(String(decoding: summary.line, as: UTF8.self))")
  }

  /// Reads a line as JSON and checks that it is of the kind that must come next.
  private func parse(_ line: [UInt8]) throws(BundleError) -> DocumentField {
    let content: Content
    do throws(JSONError) {
      let depth = expected == .step ? BareChanges.contentDepth : 1
      content = try Content(json: line, limits: limits, envelopeDepth: depth)
    } catch {
      throw .json(
        error,
        at: TextPosition(
          offset: error.offset, inLine: line, number: lineNumber, lineOffset: lineOffset))
    }
    let root = DocumentField(content, limits: limits)
    guard let found = root.bundleLine else {
      throw .malformed(line: lineNumber, at: root.place, expected: "\(expected)")
    }
    guard found == expected else {
      throw .wrongLine(line: lineNumber, expected: expected, found: found)
    }
    return root
  }

  private func read<Value>(
    _ root: DocumentField, _ body: (DocumentField) throws(DocumentField.Malformed) -> Value
  ) throws(BundleError) -> Value {
    do throws(DocumentField.Malformed) {
      return try body(root)
    } catch {
      if let exceeded = error.exceeded {
        throw .limit(exceeded, line: lineNumber, at: error.place)
      }
      throw .malformed(line: lineNumber, at: error.place, expected: error.expected)
    }
  }
}
