import ArgumentParser
import Terminal

/// Starts `listsync-pull`, so that no other verb carries a network library.
struct Pull: ParsableCommand {
  static let configuration = PullOptions.configuration(commandName: "pull")

  @OptionGroup var options: PullOptions

  func run() throws {
    // Nothing may stand before a verb but help and version, which run none.
    let arguments = CommandLine.arguments.drop { $0 != "pull" }.dropFirst()
    throw PartnerProgram(name: "listsync-pull").start(Array(arguments))
  }
}
