import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SQLiteStore

struct VersionVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Shows the versions of listsync, of the store's schema and of SQLite.",
    discussion: """
      EXAMPLE
        listsync version
      """)

  /// The versions in one line, without the line feed.
  static var text: String {
    let (schema, sqlite) = (SQLiteStore.schemaVersion, SQLiteStore.libraryVersion)
    return "listsync \(Build.version), schema \(schema), SQLite \(sqlite)"
  }

  @OptionGroup var answer: AnswerOptions

  func run() throws {
    guard answer.isJSON else { return try Output.line(Self.text) }
    try Output.object { writer in
      writer.member("listsync", Build.version)
      writer.member("schema", SQLiteStore.schemaVersion)
      writer.member("sqlite", SQLiteStore.libraryVersion)
    }
  }
}
