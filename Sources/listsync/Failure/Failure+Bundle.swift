import Gzip
import ListDocuments
import ListModel
import Terminal

extension Failure {
  private static let getAgain = """
    Nothing was changed. Get the file again, or create it again with 'listsync bundle create'.
    """

  init(_ error: GzipError, in file: String) {
    self.init(.integrity, "\(file): \(Output.printable("\(error)"))", Self.getAgain)
  }

  init(_ error: BundleError, in file: String) {
    let text = Output.shortened("\(error)")
    if let exceeded = error.exceeded {
      self.init(.failure, "\(file): \(text)", Self.advice(on: exceeded.limit))
    } else if error == .unreleased {
      self.init(
        .failure, "\(file): \(text)",
        "Nothing was changed. Create it again with 'listsync bundle create', or import the list.")
    } else if error.isNoBundle {
      self.init(
        .failure, "\(file) is not a bundle: \(text)",
        "Nothing was changed. 'listsync bundle create' makes bundles of format list-bundle/1.")
    } else {
      self.init(.integrity, "\(file) is damaged: \(text)", Self.getAgain)
    }
  }

  init(diverged cursor: Cursor, in file: String, _ list: ListName, at here: Cursor) {
    self.init(
      .diverged,
      """
      \(list) diverged: its history, now at \(here.short), does not contain \(cursor.short) of \
      \(file)
      """,
      """
      Nothing was changed. Both lists got commits of their own. Apply the bundle under another \
      name with --as, and compare the lists.
      """)
  }

  init(unwritableBundleOf list: ListName, _ error: BundleError) {
    if case .lineTooLong(let line, let byteLimit) = error {
      self.init(
        .failure, "line \(line) would be longer than the \(byteLimit) bytes that readers accept",
        """
        No file was made. Raise \(Limit.lineBytes.variable) here and where the bundle is applied, \
        or make a bundle --since a later version.
        """)
    } else {
      self.init(
        .integrity, "\(list) is damaged: its bundle would be refused: \(error)",
        "No file was made. Run 'listsync verify', and restore the store from a backup.")
    }
  }
}

extension BundleError {
  /// Whether the first line cannot start a bundle.
  fileprivate var isNoBundle: Bool {
    switch self {
    case .json(_, let position): position.line == 1
    case .cutOff(let line, _), .wrongLine(let line, _, _): line == 1
    case .malformed(let line, let place, _):
      line == 1 && (place.tokens.isEmpty || place.tokens == ["format"])
    default: false
    }
  }
}
