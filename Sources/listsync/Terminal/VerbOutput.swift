import LocalFiles

/// The output of a verb: a file that appears when it is complete, or standard output for `-`.
struct VerbOutput {
  /// Nil for standard output.
  private let file: OutputFile?

  /// - Throws: `FileError`, at once if the file must not be replaced.
  init(_ path: String, replaces: Bool) throws(FileError) {
    file = path == "-" ? nil : try OutputFile(path, replaces: replaces)
  }

  func write(_ bytes: [UInt8]) throws {
    if bytes.isEmpty { return }
    if let file { try file.write(bytes) } else { try Output.write(bytes) }
  }

  func finish() throws { try file?.finish() }
}
