import Gzip
import ListDocuments
import ListModel
import LocalFiles
import SyncService
import Terminal

/// A bundle that was refused, with its name.
struct RefusedBundle: Error {
  let file: String
  let error: any Error

  /// Names the file in what a body throws about it.
  static func naming<Result>(
    _ file: String, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      throw RefusedBundle(file: file, error: error)
    }
  }
}

extension Failure {
  /// Nil for an error that is none of this package's.
  init?(_ refused: RefusedBundle) {
    let file = refused.file == "-" ? "standard input" : refused.file
    switch refused.error {
    case let error as BundleError: self.init(error, in: file)
    case let error as GzipError:
      self.init(.integrity, "\(file): \(Output.printable("\(error)"))", Self.makeAnew)
    case ServiceError.diverged(let cursor, let list, let here):
      self.init(
        .diverged,
        "\(list) diverged: \(cursor) of \(file) is not of its history, which stands at \(here)",
        """
        Nothing was changed. Both lists were committed to: apply the bundle under another name \
        with --as, and look at what differs.
        """)
    default: self.init(refused.error)
    }
  }

  private static let makeAnew = """
    Nothing was changed. Get the file again, or make it anew with 'listsync bundle create'.
    """

  private init(_ error: BundleError, in file: String) {
    let text = Output.shortened("\(error)")
    if let exceeded = error.exceeded {
      self.init(.failure, "\(file): \(text)", Self.advice(on: exceeded.limit))
    } else if error.isNoBundle {
      self.init(
        .failure, "\(file) is not a bundle: \(text)",
        "Nothing was changed. 'listsync bundle create' makes bundles of format list-bundle/1.")
    } else {
      self.init(.integrity, "\(file) is damaged: \(text)", Self.makeAnew)
    }
  }

  init(_ error: UnwritableBundle) {
    if case .lineTooLong(let line, let byteLimit) = error.error {
      self.init(
        .failure, "line \(line) would be longer than the \(byteLimit) bytes that readers take",
        """
        No file was made: whoever is to take it must raise \(Limit.lineBytes.variable), and so must \
        you; or make the bundle --since a later version.
        """)
    } else {
      self.init(
        .integrity, "\(error.list) is damaged: its bundle would be refused: \(error.error)",
        "No file was made: run 'listsync verify', and restore the store from a backup.")
    }
  }

  init(_ error: FileError) {
    let (code, advice): (Code, String) =
      switch error {
      case .alreadyThere: (.failure, "Name another file, or add --force.")
      case .logIsThere: (.failure, "Name another file: this one is a database in use.")
      case .cannotOpen, .inputOutput:
        (
          .inputOutput,
          "Check that the folder is there and may be written, and that there is room."
        )
      }
    self.init(code, "\(error)", advice)
  }
}

extension BundleError {
  /// Whether the first line is none that starts a bundle.
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
