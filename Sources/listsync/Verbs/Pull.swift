import ArgumentParser
import Terminal

/// Starts `listsync-pull`, so that no other verb needs a network library.
struct Pull: ParsableCommand {
  static let configuration = PullOptions.configuration(commandName: "pull")

  @OptionGroup var options: PullOptions

  func run() throws {
    // Only help and version may precede a verb, and they run none.
    let arguments = CommandLine.arguments.drop { $0 != "pull" }.dropFirst()
    throw PartnerProgram(name: "listsync-pull").start(Array(arguments))
  }
}
