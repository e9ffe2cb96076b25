import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService

struct TokenVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Manages the tokens that give access to lists through a server.",
    discussion: """
      A caller that presents a token's secret to a server of this store may do what the token \
      grants. Tokens do not protect the file: listsync itself needs none.

      EXAMPLE
        listsync token create reader --read parks --read 'team-*'
        listsync token list
        listsync token revoke reader
      """,
    subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}

struct TokenList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Shows all tokens and their rights, including revoked tokens.",
    discussion: """
      EXAMPLE
        listsync token list
      """)

  @OptionGroup var store: StoreArguments
  @OptionGroup var times: TimeOptions
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let tokens = try await store.service().tokens()
    if answer.isJSON { return try JSONArrayOutput.write(tokens) { $0.members(of: $1) } }
    if tokens.isEmpty {
      return Output.diagnostic("no tokens yet; 'listsync token create NAME' creates the first")
    }
    let rows = tokens.map { token in
      let revoked = token.revokedAt.map { "revoked \(Wording.time($0))" }
      return [token.name.text, revoked ?? "made \(Wording.time(token.createdAt))", token.rights]
    }
    try Table(rows: rows, paddedCount: 1).write()
  }
}

struct TokenRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revokes a token: servers no longer accept its secret.",
    discussion: """
      A running server refuses the secret within a second. The token stays on record, and its name \
      can be used again. If all tokens of a store are revoked, its server refuses everybody.

      EXAMPLE
        listsync token revoke reader
      """)

  @Argument(help: .token, transform: TokenName.init(argument:)) var name: TokenName
  @OptionGroup var store: StoreArguments
  @OptionGroup var answer: AnswerOptions

  func run() async throws {
    let token = try await store.service(for: .writing).revokeToken(named: name)
    try answer.write("\(name): revoked; it granted \(token.rights)") { $0.members(of: token) }
  }
}

extension TokenRecord {
  /// `read team-*, write parks`.
  var rights: String { grants.map(\.description).joined(separator: ", ") }
}

extension JSONWriter {
  mutating func members(of token: TokenRecord) {
    member("token", token.name.text)
    member("created_at", token.createdAt.description)
    member("revoked_at", token.revokedAt?.description)
    objects("grants", token.grants) { writer, grant in
      writer.member("right", grant.right.rawValue)
      writer.member("lists", grant.lists.text)
    }
  }
}

extension TokenName: ArgumentValue {
  package static var argumentRule: String { "a token's name is \(rule)." }
}

extension ArgumentHelp {
  static let token: ArgumentHelp = "The token's name."
}

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
  @OptionGroup var store: StoreArguments
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
    try Output.answer(afterChange: stored) {
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
