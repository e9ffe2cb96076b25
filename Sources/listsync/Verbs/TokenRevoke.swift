import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct TokenRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revokes a token: its secret opens nothing any more.",
    discussion: """
      A server that is running refuses it within a second. The token stays on record, and its name \
      may be given again. A server of a store whose tokens are all revoked lets nobody in.

      EXAMPLE
        listsync token revoke reader
      """)

  @Argument(help: .token) var name: String
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try TokenName(argument: name)
    let token = try await store.existingService().revokeToken(named: name)
    let line = "\(name): revoked; it granted \(token.wording)"
    try Output.answer(keeping: line) {
      try json
        ? Output.write(TokenDocument.object { $0.members(of: token) }) : Output.line(line)
    }
  }
}
