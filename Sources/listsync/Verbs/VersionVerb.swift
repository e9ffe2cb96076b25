import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import Terminal

struct VersionVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Shows the versions of listsync, of the store's schema and of SQLite.",
    discussion: """
      EXAMPLE
        listsync version
      """)

  @OptionGroup var answer: AnswerOptions

  func run() throws {
    let (schema, sqlite) = (SQLiteStore.schemaVersion, SQLiteStore.libraryVersion)
    guard answer.isJSON else {
      return try Output.line("listsync \(Build.version), schema \(schema), SQLite \(sqlite)")
    }
    try Output.object { writer in
      writer.member("listsync", Build.version)
      writer.member("schema", schema)
      writer.member("sqlite", sqlite)
    }
  }
}
