import ListModel
import Terminal

extension Failure {
  init(_ error: InvalidWait) {
    self.init(
      .usage, Output.shortened("\(error)"),
      "Set it so, or unset it for \(BusyWait.standardSeconds).")
  }

  init(_ error: OversizedFile) {
    self.init(
      .failure, "\(Self.name(of: error.path)): \(error.exceeded)",
      Self.advice(on: error.exceeded.limit))
  }

  /// The name of an input in messages.
  static func name(of path: String) -> String { path == "-" ? "standard input" : path }
}
