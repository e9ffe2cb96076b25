import ArgumentParser
import Foundation

/// The arguments of `listsync pull`: of the verb, and of the program that it starts.
package struct PullOptions: ParsableArguments {
  /// The verb's help, under the name that a program has for it.
  package static func configuration(commandName: String) -> CommandConfiguration {
    CommandConfiguration(
      commandName: commandName,
      abstract: "Keeps a local copy of a list that a server has, and shows what changed.",
      discussion: """
        The copy is one file, LIST.replica unless --copy names another: run again, it asks for \
        what changed since, checks the result by its checksum, and starts over by itself where \
        the server no longer knows the old state. -o writes the list itself, as show prints it; \
        with '-o -' it is the answer in place of the changes.

        The copy is saved after the answer is written: where writing fails, the next pull gives \
        the same changes again.

        A token that the server wants is given in $LISTSYNC_TOKEN, never as an argument.

        EXAMPLE
          listsync pull parks https://lists.example
          listsync pull parks https://lists.example -o parks.json
          listsync pull parks http://localhost:8080 --watch --json
        """)
  }

  @Argument(help: .list) package var list: String
  @Argument(help: ArgumentHelp("The server's address: http:// or https://", valueName: "url"))
  package var url: String
  @Option(
    help: ArgumentHelp("The file of the copy (default: ./LIST.replica).", valueName: "file"))
  package var copy: String?
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Writes the list as JSON to a file, or to standard output for -.", valueName: "file"))
  package var output: String?
  @Flag(help: "Goes on, and shows changes as they come, until it is interrupted.")
  package var watch = false
  @Option(
    help: ArgumentHelp(
      "Gives up when the pull, or with --watch one answer, takes longer.", valueName: "seconds"))
  package var timeout = 600
  @OptionGroup package var colour: ColourOptions
  @Flag(help: .json) package var json = false

  package init() {}

  package func validate() throws {
    if list.contains("://") {
      // Not quoted: an address may hold a password.
      throw ValidationError("The list's name comes first, then the server's address.")
    }
    if copy == "" { throw ValidationError("--copy names no file.") }
    if output == "" { throw ValidationError("-o names no file.") }
    if output == "-", watch || json {
      throw ValidationError("'-o -' prints the list alone: leave --watch and --json out.")
    }
    guard (1...Self.longestTimeoutSeconds).contains(timeout) else {
      throw ValidationError("--timeout is from 1 to \(Self.longestTimeoutSeconds) seconds.")
    }
  }

  /// A year.
  private static let longestTimeoutSeconds = 31_536_000
}
