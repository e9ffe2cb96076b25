import ArgumentParser

struct TokenVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Says who may read and write which lists through a server.",
    discussion: """
      Whoever presents a token's secret to a server of this store may do what the token grants. \
      Tokens mean nothing to who has the file: listsync itself asks for none.

      EXAMPLE
        listsync token create reader --read parks --read 'team-*'
        listsync token list
        listsync token revoke reader
      """,
    subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}
