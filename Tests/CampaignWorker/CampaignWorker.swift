import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService

/// The process that campaigns run beside the tests, to be killed or to compete with others.
///
/// Usage:
///
///     CampaignWorker kill STORE SOURCE SEED FIRST
///     CampaignWorker call STORE ROLE INDEX SEED COUNT START
///     CampaignWorker hold STORE
///     CampaignWorker upgrade STORE
///     CampaignWorker mend FOLDER SEED FIRST END
///
/// It reports each event on standard output at once, in a line of its own. A line that begins with
/// `!` reports an error that must not occur.
@main struct CampaignWorker {
  static func main() async {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      switch arguments.first {
      case "kill": try await VictimWork(arguments.dropFirst()).run()
      case "call": try await CallingWork(arguments.dropFirst()).run()
      case "hold": try await hold(arguments.dropFirst())
      case "mend": try await MendedWork(arguments.dropFirst()).run()
      case "upgrade": try upgrade(arguments.dropFirst())
      default: throw UsageError()
      }
    } catch {
      say("! \(error)")
      exit(1)
    }
  }

  /// Reads a store, and keeps it open until the process is killed.
  private static func hold(_ arguments: ArraySlice<String>) async throws {
    guard let path = arguments.first else { throw UsageError() }
    let store = try SQLiteStore(readingFrom: path)
    _ = try await SyncService(store: store) { Timestamp(Date()) }.lists()
    say("held")
    withExtendedLifetime(store) { while true { pause() } }
  }

  /// Opens a store as a later version of ListSync would, which upgrades it.
  private static func upgrade(_ arguments: ArraySlice<String>) throws {
    guard let path = arguments.first else { throw UsageError() }
    _ = try SQLiteStore(path: path, ifAbsent: .fail, migrations: LaterSchema.migrations)
    say("upgraded")
  }

  /// Writes a line with one system call, so that a kill cannot cut a written line.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    guard write(1, bytes, bytes.count) == bytes.count else { exit(2) }
  }
}

struct UsageError: Error {}
