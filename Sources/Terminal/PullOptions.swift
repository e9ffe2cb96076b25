import ArgumentParser

/// The arguments of `listsync pull`, and of the program `listsync-pull` that it starts.
package struct PullOptions: ParsableArguments {
  /// The help of the verb, with the name that the program has for it.
  package static func configuration(commandName: String) -> CommandConfiguration {
    CommandConfiguration(
      commandName: commandName,
      abstract: "Keeps a local copy of a list, and shows what changed.",
      discussion: """
        The copy is one file: LIST.replica, or the one that --copy names. The next pull asks for \
        the changes since then and checks the result by its root. The address is that of a \
        server, or of the folder that 'listsync publish' has written. Where the server no longer \
        knows the copy's version, the pull starts over by itself. -o writes the list itself, in \
        the form of 'listsync show'. With '-o -' the list is the answer, instead of the changes.

        The copy is saved after the answer is written. If writing fails, the next pull gives the \
        same changes again.

        With --key, the list must be signed: a head of another key, of another list, or older than \
        the copy is refused, whoever serves it.

        Give the server's token in $LISTSYNC_TOKEN, never as an argument.

        EXAMPLE
          listsync pull parks https://lists.example
          listsync pull parks https://cdn.example/lists -o parks.json
          listsync pull parks http://localhost:8080 --watch --json
          listsync pull parks https://cdn.example/lists --key lists.example.pub
        """)
  }

  @Argument(help: .list) package var list: String
  @Argument(
    help: ArgumentHelp(
      "The address of the server or the publication, http:// or https://.", valueName: "url"))
  package var url: String
  @Option(help: .file("The file of the copy (default: ./LIST.replica)."), completion: .file())
  package var copy: String?
  @Option(
    name: [.customShort("o"), .long],
    help: .file("Write the list as JSON to this file, or to standard output for -."),
    completion: .file())
  package var output: String?
  @Flag(help: "Show changes as they come, until interrupted.") package var watch = false
  @Flag(
    help: """
      Refuse a list whose history does not continue that of the copy: the server has to show the \
      headers of all versions between.
      """)
  package var prove = false
  @OptionGroup package var signer: KeyOptions
  @Option(
    help: ArgumentHelp(
      "Time limit of the pull, or with --watch of each answer.", valueName: "seconds"))
  package var timeout = 600
  @OptionGroup package var colour: ColourOptions
  @Flag(help: .json) package var json = false

  package init() {}

  package func validate() throws {
    if list.contains("://") {
      // Not quoted: an address may hold a password.
      throw ValidationError("write the list's name first, then the address.")
    }
    if copy == "" { throw ValidationError("--copy: the file's name is empty.") }
    if output == "" { throw ValidationError("-o: the file's name is empty.") }
    if output == "-", watch || json {
      throw ValidationError("'-o -' prints the list alone: leave out --watch and --json.")
    }
    guard (1...Self.longestTimeoutSeconds).contains(timeout) else {
      throw ValidationError("--timeout: write 1 to \(Self.longestTimeoutSeconds) seconds.")
    }
  }

  /// One year.
  private static let longestTimeoutSeconds = 31_536_000
}
