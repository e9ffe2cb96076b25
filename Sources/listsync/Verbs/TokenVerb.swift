import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Terminal

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

  @OptionGroup var store: StoreOptions
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
      return [
        token.name.text, revoked ?? "made \(Wording.time(token.createdAt))", token.rights,
      ]
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
  @OptionGroup var store: StoreOptions
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
