import ArgumentParser
import ParkLists

/// Writes a generated list, for measuring by hand.
struct GenerateParks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Writes a generated list of parks as a JSON array.")

  @Argument(help: "The file to write.") var file: String
  @Option(help: "The number of items.") var count = 1_000_000
  @Option(help: "The same seed makes the same list.") var seed: UInt64 = 1
  @Option(help: "So many versions on, each with --changes changes.") var edits = 0
  @Option(help: "Changes of each version.") var changes = 100

  func run() throws {
    var list = ParkList(count: count, seed: seed)
    for _ in 0..<edits { list.edit(.typical(changes: changes)) }
    print("\(try list.writeJSON(to: file)) bytes")
  }
}
