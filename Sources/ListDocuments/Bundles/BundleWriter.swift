import Crypto
import ListModel

/// Writes a bundle (``BundleReader`` has its grammar), and refuses lines that no reader would
/// accept.
///
/// The caller removes the bytes with ``takeBytes()``. Memory: the remaining bytes and a line.
public struct BundleWriter {
  private var sequence: BundleSequence
  private var digest = SHA256()
  private let lineByteLimit: Int
  private var bytes: [UInt8] = []
  private var isFinished = false

  /// Writes the header.
  ///
  /// - Parameter lineByteLimit: the highest length of a line; readers have the limit of
  ///   ``ListModel/Limit`` by default.
  /// - Throws: `BundleError.malformed`, `.wrongItems` or `.wrongTarget` when the header contradicts
  ///   itself.
  public init(
    _ header: BundleHeader, lineByteLimit: Int = Limit.lineBytes.standard
  ) throws(BundleError) {
    sequence = try BundleSequence(header)
    self.lineByteLimit = lineByteLimit
    try write(header.line)
  }

  /// Writes the next item or step.
  ///
  /// - Throws: As ``append(_:)-(Item)`` and ``append(_:)-(BundleStep)``.
  public mutating func append(_ event: BundleEvent) throws(BundleError) {
    switch event {
    case .header: preconditionFailure("a bundle has one header")
    case .item(let item): try append(item)
    case .step(let step): try append(step)
    }
  }

  /// Writes the next item of the base.
  ///
  /// - Throws: `BundleError.wrongLine` when no item is due, `.wrongItems` at the last item when the
  ///   items do not have the base's checksum, `.lineTooLong`.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ item: Item) throws(BundleError) {
    precondition(!isFinished, "the bundle is finished")
    try sequence.append(item)
    try write(item.bundleLine)
  }

  /// Writes the next step.
  ///
  /// - Throws: `BundleError.wrongLine` when no step is due; `.wrongVersion`, `.malformed`,
  ///   `.changes`, `.brokenChain` or `.wrongTarget` when it does not follow from what came before;
  ///   `.lineTooLong`.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ step: BundleStep) throws(BundleError) {
    precondition(!isFinished, "the bundle is finished")
    try sequence.append(step)
    try write(step.line)
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
    update(data: line)
    update(data: [UInt8(ascii: "\n")])
  }

  /// The digest so far in hex digits.
  var hex: String { Hex.encode(Array(finalize())) }
}
