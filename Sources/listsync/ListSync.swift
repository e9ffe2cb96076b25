import ArgumentParser
import Foundation
import ListModel
import SyncService

@main
struct ListSync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listsync",
    abstract: "Keeps every version of a list, and shows the changes since the version you have.",
    discussion: """
      A list is a named, ordered sequence of items with ids, such as parks or movies. Each \
      snapshot that differs from the newest version becomes the next version.

      REV names a version: \(Revision.forms).

      The store is one file: --store FILE, else $LISTSYNC_STORE, else ./listsync.db. It may also \
      be in a PostgreSQL database: --store postgresql://USER@HOST/DATABASE. --store and --json may \
      stand before the verb.

      EXAMPLE
        listsync commit parks parks.json -m "First list"
        listsync commit parks parks-new.json
        listsync diff parks head~1 head

      EXIT CODES
        0  done                            5  too old or diverged
        1  differences (--exit-code),      6  integrity
           or another failure              7  busy
        2  usage                           8  disk full or I/O
        3  no such list, version or item   130  interrupted
        4  expectation failed

      COMPLETIONS
        listsync --generate-completion-script bash   (or zsh, fish)
      """,
    version: VersionVerb.text,
    subcommands: [
      Lists.self, Commit.self, EditVerb.self, Revert.self, Log.self, BlameVerb.self, Show.self,
      GrepVerb.self, Diff.self, DeltaVerb.self, Replay.self, Apply.self, Compare.self, Merge.self,
      Pull.self, BundleVerb.self, ExportVerb.self, ReportVerb.self, Publish.self, ImportGit.self,
      Tag.self, Rename.self, Drop.self,
      Prune.self, CompactVerb.self, Verify.self, ProveVerb.self, CheckProof.self,
      BackupVerb.self, Copy.self, Stats.self, StoreVerb.self, KeyVerb.self, TokenVerb.self,
      LimitsVerb.self,
      VersionVerb.self,
    ])

  static func main() async {
    var verb: (any ParsableCommand.Type)?
    do {
      try ArgumentBytes.check()
      // Completions ask the store.
      var command = try await parsed()
      verb = type(of: command)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      if let script = BashCompletion.script(from: error) {
        try? Output.line(script)
        return
      }
      Foundation.exit(
        Failure.report(
          error, as: await failure(error, of: verb), of: Self.self, verb: verb,
          isJSON: Self.words.asksForJSON))
    }
  }

  private static func failure(
    _ error: any Error, of verb: (any ParsableCommand.Type)?
  ) async -> Failure? {
    verb == Pull.self ? Failure(ofPull: error) : await Failure.naming(error)
  }

  /// The arguments, the verb first.
  static let words = ArgumentWords(Array(CommandLine.arguments.dropFirst()))

  /// - Throws: `VerbError.unknownVerb` when the first argument is neither a verb nor an option.
  private static func parsed() async throws -> any ParsableCommand {
    do {
      return try await asyncParseAsRoot(words.all)
    } catch {
      let known = configuration.subcommands.map { $0._commandName } + ["help"]
      guard let word = words.all.first, !word.hasPrefix("-"),
        !known.contains(word)
      else { throw error }
      throw VerbError.unknownVerb(word, known: known)
    }
  }
}
