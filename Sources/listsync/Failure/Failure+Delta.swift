import ListDocuments
import ListModel
import Terminal

extension Failure {
  /// The error of a delta that is applied to a snapshot file.
  init(refusingDeltaOf file: String, at position: TextPosition, _ error: DeltaError) {
    let line = "\(file):\(position.line):\(position.column)"
    let text = Output.shortened("\(error)")
    switch error {
    case .json:
      self.init(
        .failure, "\(file): \(text)",
        error.exceeded.map { Self.advice(on: $0.limit) } ?? Self.damaged)
    case .malformed: self.init(.failure, "\(line): \(text)", Self.damaged)
    case .limit(let exceeded, _):
      self.init(.failure, "\(line): \(text)", Self.advice(on: exceeded.limit))
    case .notTheStart(let expected, let found):
      self.init(
        .diverged,
        "\(line): the delta starts from the root \(expected), but the list has \(found)",
        """
        Nothing was written. Name the deltas in their order, and read the file with the --id of \
        the list. 'listsync compare FILE NEW' makes a delta that starts from a file.
        """)
    case .changes: self.init(.integrity, "\(line): the changes do not fit: \(text)", Self.damaged)
    case .wrongResult: self.init(.integrity, "\(line): \(text)", Self.damaged)
    }
  }

  private static let damaged =
    """
    Nothing was written. Make the delta again with 'listsync delta LIST --since VERSION' or \
    'listsync replay LIST'.
    """
}
