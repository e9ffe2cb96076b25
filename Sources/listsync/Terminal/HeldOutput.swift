import Terminal

/// An answer that is not written before it is known to be right, or before its transaction has
/// ended: a slow reader of the answer keeps no transaction open.
final class HeldOutput: Sendable {
  private let spool = Spool()

  /// Forgets what was added.
  func restart() { spool.restart() }

  func append(_ bytes: some Sequence<UInt8>) { spool.append(bytes) }

  /// Writes all to standard output.
  func release() throws {
    var position = 0
    while case let piece = try spool.piece(at: position), !piece.isEmpty {
      try Output.write(piece)
      position += piece.count
    }
  }
}
