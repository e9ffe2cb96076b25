import ArgumentParser

/// The output of a verb that makes a list from other files.
struct ListOutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: .file("The file for the list, or - for standard output."),
    completion: .file())
  var output = "-"
  @Flag(name: .customLong("force"), help: "Replace the file if it exists.") var isForced = false

  var isStandardOutput: Bool { output == "-" }

  func validate() throws {
    if isForced, isStandardOutput {
      throw ValidationError("--force is for the file of --output.")
    }
  }

  /// - Throws: `ValidationError` when several files that are read are standard input.
  static func checkInputs(_ paths: [String]) throws {
    if paths.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one of the files can be standard input.")
    }
  }

  func open() throws -> VerbOutput { try VerbOutput(output, replaces: isForced) }
}
