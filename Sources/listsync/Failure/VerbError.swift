import ListDocuments
import ListModel
import ListStore
import SyncService

/// The errors of the verbs themselves, by the time when they occur.
enum VerbError: Error {
  /// Thrown when the first argument is not a verb.
  case unknownVerb(_ word: String, known: [String])

  /// Thrown when there is no list of a name; `known` are the existing ones.
  case noSuchList(ListName, known: [ListName])
  /// Thrown when a list was dropped or renamed, and the verb knows what to do about it.
  case gone(FormerList, advice: String)

  // Reading input

  /// Thrown when the system cannot read a file.
  case unreadable(_ path: String, any Error)
  /// Thrown when a file, or standard input for `-`, is not a snapshot; `hasFormat` if its format
  /// was given.
  case notSnapshot(_ path: String, SnapshotError, hasFormat: Bool)
  /// Thrown when the content of a file, or of standard input for `-`, is refused.
  case refused(_ path: String, any Error)
  /// Thrown when a commit of a repository is not a snapshot, but every commit must be one.
  case refusedCommit(_ commit: String, reason: String)
  /// Thrown when no commit of an import was a snapshot; the head is zero if there is no list.
  case allSkipped(_ count: Int, in: ListName, head: Version)

  /// Thrown when a document of a file of deltas is refused; the position is that of the document.
  case refusedDelta(_ path: String, at: TextPosition, DeltaError)

  /// Thrown when an edit of a file does not fit the list.
  case refusedEdit(_ path: String, at: TextPosition, ServiceError)

  /// Thrown when a file has no cursors that were kept.
  case noCursors(_ path: String, DeltaError)
  /// Thrown when kept cursors do not name their list, and the verb was not given it.
  case unnamedCursors
  /// Thrown when cursors were kept, and none of a list.
  case noCursorsOf(ListName)
  /// Thrown when a file has no private key.
  case noKey(_ path: String)
  /// Thrown when a new key would replace a file.
  case keyIsThere(_ path: String)
  /// Thrown when a file has no head that a key has signed.
  case untrusted(_ path: String, HeadRefusal)
  /// Thrown when a file is no proof, or proves nothing about the cursor.
  case refusedProof(_ path: String, ProofError)
  /// Thrown when a history is not the one of which cursors were kept.
  case divergence(of: String, Divergence)

  // Showing

  /// Thrown when a shown list lacks an item; named by the list, or the replica's file.
  case absentItem(ItemID, in: String)
  // Stores at servers

  /// Thrown when a verb copies or rewrites the store's file, and the store is at a server.
  case noFile

  // Asking

  /// Thrown when a person answers no.
  case declined

  // Working

  /// Thrown when there is no delta between two versions, and no snapshot was asked for instead.
  case noDelta(ServiceError, of: ListName)

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
  /// Thrown when a program of this package cannot be started.
  case missingProgram(_ name: String, at: String, reason: String)

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
