import ArgumentParser
import ListDocuments
import ListModel
import ListStore
import SQLiteStore
import Terminal

struct VersionVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Shows the versions of listsync, of its store's schema and of SQLite.",
    discussion: """
      EXAMPLE
        listsync version
      """)

  @Flag(help: .json) var json = false

  func run() throws {
    let (schema, sqlite) = (SQLiteStore.schemaVersion, SQLiteStore.libraryVersion)
    guard json else {
      return try Output.line("listsync \(Build.version), schema \(schema), SQLite \(sqlite)")
    }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("listsync", Build.version)
      writer.member("schema", schema)
      writer.member("sqlite", sqlite)
    }
    try Output.write(writer.bytes + "\n".utf8)
  }
}
