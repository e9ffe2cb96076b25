import ArgumentParser
import ListDocuments
import ListModel
import SyncService
import Terminal

struct TokenCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Creates a token and prints its secret, which cannot be shown again.",
    discussion: """
      PATTERN is \(ListPattern.rule). Write access includes read access. Quote the star, since \
      shells replace it by file names.

      The store keeps only the SHA-256 of the secret. A running server accepts the token within a \
      second. If it is the first token, the server asks everybody for one from then on.

      EXAMPLE
        listsync token create reader --read parks --read 'team-*'
        listsync token create editor --write '*' --json
        SECRET=$(listsync token create nightly --write parks)
      """)

  @Argument(help: .token, transform: TokenName.init(argument:)) var name: TokenName
  @Option(
    help: ArgumentHelp("Lists to read (may be repeated).", valueName: "pattern"),
    transform: ListPattern.init(argument:))
  var read: [ListPattern] = []
  @Option(
    help: ArgumentHelp("Lists to read and commit to (may be repeated).", valueName: "pattern"),
    transform: ListPattern.init(argument:))
  var write: [ListPattern] = []
  @OptionGroup var store: StoreOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if read.isEmpty, write.isEmpty {
      throw ValidationError("name the rights: --read PATTERN, --write PATTERN, or both.")
    }
  }

  func run() async throws {
    let grants = read.map { AccessGrant(.read, $0) } + write.map { AccessGrant(.write, $0) }
    let token = try await store.service(for: .creating).makeToken(named: name, grants: grants)
    // A lost secret cannot be shown again, so say how to replace the token.
    let stored = "the token \(name) was created; 'listsync token revoke \(name)' ends it"
    try Output.answer(keeping: stored) {
      guard answer.isJSON else { return try Output.line(token.secret.text) }
      try Output.object { writer in
        writer.members(of: token.record)
        writer.member("secret", token.secret.text)
      }
    }
    Output.diagnostic(
      "\(name) may \(token.record.rights); this is the only time its secret is shown: keep it safe")
  }
}

extension ListPattern: ArgumentValue {
  package static var argumentRule: String { "a pattern is \(rule)." }
}
