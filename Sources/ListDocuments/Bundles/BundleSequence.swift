import Hashing
import ListModel

/// The rules for the order of lines in a bundle, for the writer and the reader: the kind of the
/// next line, and whether it follows from the lines before.
struct BundleSequence: Sendable {
  let header: BundleHeader
  /// The state after the steps so far.
  private var state: ListState
  /// The number of lines so far.
  private(set) var lineCount = 1

  private var itemsLeft: Int
  private var items = RootBuilder()
  private var hash = SHA256()

  /// - Throws: `BundleError.document` or `.wrongTarget` when the header contradicts itself.
  init(_ header: BundleHeader) throws(BundleError) {
    self.header = header
    state = header.startState
    itemsLeft = header.itemCount
    if case .base = header.start {
      guard state.version > Version(1) else {
        throw .malformed(line: 1, at: ["from", "version"], expected: "0, or a version from 2")
      }
      if itemsLeft == 0 { try checkItems() }
    }
    guard header.target.version >= state.version else {
      throw .malformed(line: 1, at: ["to", "version"], expected: "a version from \(state.version)")
    }
    try checkTarget()
  }

  /// The kind of line that must come next.
  var expected: BundleLine {
    if itemsLeft > 0 { return .item }
    return state.version < header.target.version ? .step : .end
  }

  /// The summary of the lines so far.
  var summary: BundleSummary {
    BundleSummary(header: header, lineCount: lineCount, digest: Hex.encode(hash.digest.bytes))
  }

  /// Adds a line with its end, or part of one, to the digest.
  mutating func digest(_ bytes: [UInt8]) { hash.update(bytes) }

  /// Takes in the next item or step, which must be expected.
  ///
  /// - Throws: `BundleError.document`, `.brokenChain`, `.wrongTarget`.
  mutating func append(_ event: BundleEvent) throws(BundleError) {
    lineCount += 1
    switch event {
    case .header: preconditionFailure("a bundle has one header")
    case .item(let item):
      itemsLeft -= 1
      items.append(item)
      if itemsLeft == 0 { try checkItems() }
    case .step(let step):
      guard step.from == state, let next = step.to.header, next.version == state.version.next,
        next.previous == state.chain
      else { throw .brokenChain(line: lineCount, after: state.version) }
      guard step.changes.counts.total > 0 else {
        throw .malformed(line: lineCount, at: [], expected: "a step that changes something")
      }
      state = step.to
      try checkTarget()
    }
  }

  private func checkItems() throws(BundleError) {
    let found = items.root
    guard found == state.root else {
      throw .document(.wrongResult(expected: state.root, found: found), line: lineCount)
    }
  }

  private func checkTarget() throws(BundleError) {
    guard state.version < header.target.version || state == header.target else {
      throw .wrongTarget(line: lineCount, version: state.version)
    }
  }
}
