import ListDocuments
import ListModel
import ListStore
import SyncService

/// The errors of the verbs themselves, by the time when they occur.
enum VerbError: Error {
  /// Thrown when the first argument is not a verb.
  case unknownVerb(_ word: String, known: [String])
  /// Thrown when a request is refused, and the verb has advice of its own.
  case advised(ServiceError, _ advice: String)

  // Reading input

  /// Thrown when the system cannot read a file.
  case unreadable(_ path: String, any Error)
  /// Thrown when a file, or standard input for `-`, is not a snapshot.
  case notSnapshot(_ path: String, SnapshotError, given: GivenOptions)
  /// Thrown when the content of a file, or of standard input for `-`, is refused; the position is
  /// that of the refused part, and nil for the whole file.
  case refused(_ path: String, at: TextPosition? = nil, any Error)
  /// Thrown when a commit of a repository is not a snapshot, but every commit must be one.
  case refusedCommit(_ commit: String, reason: String)
  /// Thrown when no commit of an import was a snapshot; the head is zero if there is no list.
  case allSkipped(_ count: Int, in: ListName, head: Version)

  /// Thrown when a document of a file of deltas is refused; the position is that of the document.
  case refusedDelta(_ path: String, at: TextPosition, DeltaError)
  /// Thrown when a file contains no cursors.
  case noCursors(_ path: String, DeltaError)
  /// Thrown when neither the kept cursors nor the user name the list.
  case unnamedCursors
  /// Thrown when no kept cursor belongs to the list.
  case noCursorsOf(ListName)
  /// Thrown when a file has no private key.
  case noKey(_ path: String)
  /// Thrown when a new key would replace a file.
  case keyIsThere(_ path: String)
  /// Thrown when a history does not contain the kept cursors.
  case divergence(of: String, Divergence)

  // Working

  /// Thrown when a shown list lacks an item; named by the list, or the replica's file.
  case absentItem(ItemID, in: String)
  /// Thrown when a verb copies or rewrites the store's file, and the store is at a server.
  case noFile
  /// Thrown when a person answers no.
  case declined
  /// Thrown when a list that is copied has another history in the target.
  case otherHistory(ListName, at: Cursor, target: String, itsHead: Cursor)
  /// Thrown when a list that is copied ends before the oldest version that the target has kept.
  case endsTooOld(ListName, at: Cursor, target: String, itsOldest: Cursor)
  /// Thrown when a replayed step does not give the stored state.
  case wrongStep(ListName?, to: ListState, DeltaError)
  /// Thrown when no bundle can hold the versions of a list.
  case unwritableBundle(ListName, BundleError)
  /// Thrown when a report would hold more bytes than a browser reads quickly or, if `isForced`, at
  /// all.
  case longReport(ListName, byteLimit: Int, isForced: Bool)
  /// Thrown when the disk of a backup's file is full.
  case noRoomForBackup(_ path: String)
  /// Thrown when versions were pruned, but their space was not freed.
  case vacuum(StoreError)

  /// The error of a verb that would write versions under a name that a list has left.
  ///
  /// - Parameters:
  ///   - former: the list that has left it.
  ///   - way: how to get a dropped list under the name OTHER.
  ///   - advice: what to do if the list has a new name.
  static func gone(
    _ former: RetiredList, bringBack way: String, toNewName advice: (ListName) -> String
  ) -> VerbError {
    .advised(
      .gone(former),
      former.newName.map(advice)
        ?? "To have the list back, \(way), then 'listsync rename OTHER \(former.name)'.")
  }

  /// Says of the base of a merge that cannot be found what to do without it.
  static func namingBase<Result>(
    of list: ListName, isMerge: Bool, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as ServiceError where isMerge {
      switch error {
      case .tooOld, .diverged, .noSuchVersion:
        throw VerbError.advised(
          error,
          "Nothing was changed. Get the newest version with 'listsync show \(list)', make your "
            + "changes in it, and commit it with --expect and its cursor.")
      default: throw error
      }
    }
  }

  /// Adds the name of a file to the errors of a body.
  static func naming<Result>(
    _ file: String, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      throw VerbError.refused(file, error)
    }
  }
}

/// The options of reading that were given, which no advice names again.
struct GivenOptions: Sendable {
  var format = false
  var duplicates = false
}
