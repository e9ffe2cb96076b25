import Hashing
import ListModel

/// Writes a bundle (``BundleReader`` has its grammar), and refuses lines that no reader would
/// accept.
///
/// The caller removes the bytes with ``takeBytes()``. Memory: the remaining bytes and a line.
public struct BundleWriter: Sendable {
  private var sequence: BundleSequence
  private var digest = SHA256()
  private let lineByteLimit: Int
  private var bytes: [UInt8] = []
  private var isFinished = false

  /// Writes the header.
  ///
  /// - Parameters:
  ///   - header: the first line.
  ///   - lineByteLimit: the highest length of a line; readers have the limit of
  ///     ``/ListModel/Limit`` by default.
  /// - Throws: `BundleError.malformed`, `.wrongItems` or `.wrongTarget` when the header contradicts
  ///   itself.
  public init(
    _ header: BundleHeader, lineByteLimit: Int = Limit.lineBytes.standard
  ) throws(BundleError) {
    sequence = try BundleSequence(header)
    self.lineByteLimit = lineByteLimit
    try write(header.line)
  }

  /// Writes the next item of the base, or the next step.
  ///
  /// - Throws: `BundleError.wrongLine` when no item or step is due; `.wrongItems` at the last item
  ///   when the items do not have the base's root; `.wrongVersion`, `.malformed`, `.changes`,
  ///   `.brokenChain` or `.wrongTarget` when a step does not follow from what came before;
  ///   `.lineTooLong`.
  /// - Precondition: ``finish()`` has not been called, and the event is no header.
  public mutating func append(_ event: BundleEvent) throws(BundleError) {
    precondition(!isFinished, "the bundle is finished")
    switch event {
    case .header: preconditionFailure("a bundle has one header")
    case .item(let item):
      try sequence.append(item)
      try write(item.bundleLine)
    case .step(let step):
      try sequence.append(step)
      try write(step.line)
    }
  }

  /// Writes the last line.
  ///
  /// - Throws: `BundleError.wrongLine` when the target is not reached.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func finish() throws(BundleError) -> BundleSummary {
    precondition(!isFinished, "the bundle is finished")
    try sequence.expect(.end)
    isFinished = true
    let summary = BundleSummary(
      header: sequence.header, lineCount: sequence.lineCount, digest: digest.hex)
    bytes += summary.line
    bytes.append(UInt8(ascii: "\n"))
    return summary
  }

  /// Removes and returns the bytes that were written since the last call.
  public mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes = []
    return taken
  }

  private mutating func write(_ line: [UInt8]) throws(BundleError) {
    guard line.count <= lineByteLimit else {
      throw .lineTooLong(line: sequence.lineCount, byteLimit: lineByteLimit)
    }
    digest.update(line: line)
    bytes += line
    bytes.append(UInt8(ascii: "\n"))
  }
}

extension SHA256 {
  /// Adds a line and its end.
  mutating func update(line: [UInt8]) {
    update(line)
    update([UInt8(ascii: "\n")])
  }

  /// The digest so far in hex digits.
  var hex: String { Hex.encode(digest.bytes) }
}
