import ListModel

extension Failure {
  init(_ error: InvalidLimit) {
    self.init(
      .usage, Output.shortened("\(error)"),
      "Set it so, or unset it for \(error.limit.standard); 'listsync limits' shows what holds.")
  }

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

  /// How a limit is raised.
  static func advice(on limit: Limit) -> String {
    if limit.standard == limit.highest {
      return "Nothing was changed: nobody can raise this limit; 'listsync limits' shows all."
    }
    return """
      Nothing was changed: \(limit.variable)=NUMBER raises this limit, to \(limit.highest) at the \
      most; 'listsync limits' shows all.
      """
  }
}
