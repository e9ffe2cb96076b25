import Foundation

/// Programs that tests make and then start.
///
/// A process of their own writes them. A file that this process has open for writing would for a
/// moment be open in each process that another test starts just then, and the system starts no
/// file that somebody may write ("text file busy").
public enum ExecutableFile {
  /// - Throws: an error when the file could not be copied.
  public static func copy(_ program: URL, to place: URL) throws {
    try run("cp \"$1\" \"$2\"", program.path, place.path)
  }

  /// - Throws: an error when the file could not be written.
  public static func write(_ script: String, to place: URL) throws {
    try run("printf %s \"$1\" > \"$2\"", script, place.path)
  }

  struct Failure: Error {
    let command: String
  }

  private static func run(_ command: String, _ arguments: String...) throws {
    guard Command.succeeds(["sh", "-c", command, "sh"] + arguments) else {
      throw Failure(command: command)
    }
  }
}
