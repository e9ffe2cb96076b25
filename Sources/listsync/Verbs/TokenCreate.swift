import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Terminal

struct TokenCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Makes a token, and prints its secret, which nobody can ask for again.",
    discussion: """
      PATTERN is \(ListPattern.rule). To write includes to read. Quote the star, since shells \
      put file names in its place.

      The store keeps the SHA-256 of the secret alone. A server that is running knows of the token \
      within a second; one that had none until now asks everybody for one from then on.

      EXAMPLE
        listsync token create reader --read parks --read 'team-*'
        listsync token create editor --write '*' --json
        SECRET=$(listsync token create nightly --write parks)
      """)

  @Argument(help: .token) var name: String
  @Option(
    help: ArgumentHelp("Lists that may be read (may be repeated).", valueName: "pattern"))
  var read: [String] = []
  @Option(
    help: ArgumentHelp(
      "Lists that may be read and committed to (may be repeated).", valueName: "pattern"))
  var write: [String] = []
  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let name = try TokenName(argument: name)
    let grants = try Self.grants(.read, read) + Self.grants(.write, write)
    guard !grants.isEmpty else {
      throw ValidationError("say what the token grants: --read PATTERN, --write PATTERN, or both.")
    }
    let token = try await store.writingService().makeToken(named: name, grants: grants)
    // Nobody knows the secret then: another one can be made when this one is revoked.
    try Output.answer(keeping: "the token \(name) was made; 'listsync token revoke' ends it") {
      try json
        ? Output.write(
          TokenDocument.object { writer in
            writer.members(of: token.record)
            writer.member("secret", token.secret.text)
          }) : Output.line(token.secret.text)
    }
    Output.note(
      """
      \(name) may \(token.record.wording); its secret is shown this once: keep it where only its \
      bearer reads it
      """)
  }

  private static func grants(_ right: AccessRight, _ patterns: [String]) throws -> [AccessGrant] {
    try patterns.map { text in
      guard let lists = ListPattern(text) else {
        throw ValidationError(
          "--\(right.rawValue): '\(text)' names no lists; write \(ListPattern.rule).")
      }
      return AccessGrant(right, lists)
    }
  }
}

extension TokenName {
  /// Reads a token's name on the command line.
  ///
  /// - Throws: `ValidationError`, which says what a name may be.
  init(argument text: String) throws {
    guard let name = TokenName(text) else {
      throw ValidationError("'\(text)' is not a token's name: use \(TokenName.rule).")
    }
    self = name
  }
}

extension ArgumentHelp {
  static let token = ArgumentHelp("The token's name.")
}
