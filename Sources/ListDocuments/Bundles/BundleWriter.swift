import ListModel

/// Writes a bundle (``BundleReader`` has its grammar), and refuses lines that no reader would
/// accept.
///
/// The caller removes the bytes with ``takeBytes()``. Memory: the remaining bytes and a line.
public struct BundleWriter: Sendable {
  private var sequence: BundleSequence
  private let lineByteLimit: Int
  private var bytes: [UInt8] = []
  private var isFinished = false

  /// Writes the header.
  ///
  /// - Parameters:
  ///   - header: the first line.
  ///   - lineByteLimit: the highest length of a line; readers have the limit of
  ///     ``/ListModel/Limit`` by default.
  /// - Throws: `BundleError.document` or `.wrongTarget` when the header contradicts itself.
  public init(
    _ header: BundleHeader, lineByteLimit: Int = Limit.lineBytes.standard
  ) throws(BundleError) {
    sequence = try BundleSequence(header)
    self.lineByteLimit = lineByteLimit
    try write(header.line)
  }

  /// Writes the next item of the base, or the next step.
  ///
  /// - Throws: `BundleError.wrongLine` when no item or step is due; `.document` at the last item
  ///   when the items do not have the base's root; `.document`, `.brokenChain` or `.wrongTarget`
  ///   when a step does not follow from what came before; `.lineTooLong`.
  /// - Precondition: ``finish()`` has not been called, and the event is no header.
  public mutating func append(_ event: BundleEvent) throws(BundleError) {
    precondition(!isFinished, "the bundle is finished")
    switch event {
    case .header: preconditionFailure("a bundle has one header")
    case .item(let item):
      try expect(.item)
      try sequence.append(event)
      var writer = JSONWriter()
      writer.change(of: item.id, content: item.content)
      try write(writer.bytes + "\n".utf8)
    case .step(let step):
      try expect(.step)
      try sequence.append(event)
      try write(step.encoded(.line))
    }
  }

  /// Writes the last line.
  ///
  /// - Throws: `BundleError.wrongLine` when the target is not reached.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func finish() throws(BundleError) -> BundleSummary {
    precondition(!isFinished, "the bundle is finished")
    try expect(.end)
    isFinished = true
    let summary = sequence.summary
    bytes += "\(summary.line)\n".utf8
    return summary
  }

  /// Removes and returns the bytes that were written since the last call.
  public mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes = []
    return taken
  }

  private func expect(_ line: BundleLine) throws(BundleError) {
    guard sequence.expected == line else {
      throw .wrongLine(line: sequence.lineCount + 1, expected: sequence.expected)
    }
  }

  /// - Parameter line: with its end.
  private mutating func write(_ line: [UInt8]) throws(BundleError) {
    guard line.count - 1 <= lineByteLimit else {
      throw .lineTooLong(line: sequence.lineCount, byteLimit: lineByteLimit)
    }
    sequence.digest(line)
    bytes += line
  }
}
