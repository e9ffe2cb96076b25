import ListChanges
import ListModel

/// The rules for the order of lines in a bundle, for the writer and the reader: the kind of the
/// next line, and whether it follows from the lines before.
struct BundleSequence {
  let header: BundleHeader
  /// The state after the steps so far.
  private(set) var state: ListState
  /// The number of lines so far.
  private(set) var lineCount = 1

  private var itemsLeft: Int
  private var items = RootBuilder()

  /// - Throws: `BundleError.malformed` or `.wrongTarget` when the header contradicts itself.
  init(_ header: BundleHeader) throws(BundleError) {
    self.header = header
    state = header.startState
    itemsLeft = header.itemCount
    switch header.start {
    case .zero: break
    case .base:
      try Self.check(state, at: "base", mayBeZero: false)
      if itemsLeft == 0 { try checkItems() }
    case .prerequisite: try Self.check(state, at: "prerequisite", mayBeZero: true)
    }
    try Self.check(header.target, at: "target", mayBeZero: true)
    guard header.target.version >= state.version else {
      throw .malformed(
        line: 1, at: JSONPointer(tokens: ["target", "version"]),
        expected: "a version from \(state.version)")
    }
    try checkTarget()
  }

  /// The kind of line that must come next.
  var expected: BundleLine {
    if itemsLeft > 0 { return .item }
    return state.version < header.target.version ? .step : .end
  }

  /// - Throws: `BundleError.wrongLine`, `.wrongItems`.
  mutating func append(_ item: Item) throws(BundleError) {
    try expect(.item)
    lineCount += 1
    itemsLeft -= 1
    items.append(item)
    if itemsLeft == 0 { try checkItems() }
  }

  /// - Parameter cursor: the one that the line of the step states, if it was read.
  /// - Throws: `BundleError.wrongLine`, `.wrongVersion`, `.malformed`, `.changes`, `.brokenChain`,
  ///   `.wrongTarget`.
  mutating func append(_ step: BundleStep, stated cursor: Cursor? = nil) throws(BundleError) {
    try expect(.step)
    lineCount += 1
    let (record, version) = (step.record, step.record.version)
    guard version == state.version.next else {
      throw .wrongVersion(line: lineCount, expected: state.version.next, found: version)
    }
    try checkChanges(of: step)
    guard record.header.previous == state.chain, cursor ?? record.cursor == record.cursor else {
      throw .brokenChain(line: lineCount, version: version)
    }
    state = record.state
    try checkTarget()
  }

  /// - Throws: `BundleError.wrongLine` when another kind of line must come next.
  func expect(_ line: BundleLine) throws(BundleError) {
    guard expected == line else {
      throw .wrongLine(line: lineCount + 1, expected: expected, found: line)
    }
  }

  private func checkChanges(of step: BundleStep) throws(BundleError) {
    guard step.record.changes.total > 0 else {
      throw .malformed(
        line: lineCount, at: JSONPointer(tokens: []), expected: "a step that changes something")
    }
    guard step.changes.oldCount == state.count else {
      throw .changes(
        .countMismatch(expected: step.changes.oldCount, found: state.count), line: lineCount)
    }
    do {
      _ = try step.changes.outline()
    } catch {
      throw .changes(error, line: lineCount)
    }
  }

  private func checkItems() throws(BundleError) {
    let found = items.root
    guard found == state.root else {
      throw .wrongItems(line: lineCount, expected: state.root, found: found)
    }
  }

  private func checkTarget() throws(BundleError) {
    guard state.version < header.target.version || state == header.target else {
      throw .wrongTarget(line: lineCount, version: state.version)
    }
  }

  private static func check(
    _ state: ListState, at member: String, mayBeZero: Bool
  ) throws(BundleError) {
    if state.header != nil || (mayBeZero && state == .zero) { return }
    throw .malformed(
      line: 1, at: JSONPointer(tokens: [member]),
      expected: mayBeZero ? "the empty list, as version 0 is" : "a version from 1")
  }
}
