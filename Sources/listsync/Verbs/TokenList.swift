import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SyncService
import Terminal

struct TokenList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Shows all tokens with what they grant, also those that were revoked.",
    discussion: """
      EXAMPLE
        listsync token list
      """)

  @OptionGroup var store: StoreOptions
  @Flag(help: .json) var json = false

  func run() async throws {
    let tokens = try await store.service().tokens()
    if json {
      let array = JSONArrayOutput()
      for token in tokens { try array.write { $0.members(of: token) } }
      return try array.finish()
    }
    if tokens.isEmpty {
      return Output.note("no tokens yet; listsync token create makes the first")
    }
    let nameWidth = tokens.map(\.name.text.count).max() ?? 0
    for token in tokens {
      let state =
        token.revokedAt.map { "revoked \(Wording.time($0))" }
        ?? "made \(Wording.time(token.createdAt))"
      try Output.line("\(token.name.text.padding(to: nameWidth))  \(state)  \(token.wording)")
    }
  }
}

extension TokenRecord {
  /// `read team-*, write parks`.
  var wording: String { grants.map(\.description).joined(separator: ", ") }
}

/// Tokens in JSON.
enum TokenDocument {
  /// An object on a line of its own.
  static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(members)
    return writer.bytes + "\n".utf8
  }
}

extension JSONWriter {
  mutating func members(of token: TokenRecord) {
    member("token", token.name.text)
    member("created_at", token.createdAt.description)
    member("revoked_at", token.revokedAt?.description)
    member(
      "grants",
      array: { writer in
        for grant in token.grants {
          writer.object { writer in
            writer.member("right", grant.right.rawValue)
            writer.member("lists", grant.lists.text)
          }
        }
      })
  }
}
