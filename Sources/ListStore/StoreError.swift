/// The errors of a store.
///
/// `store` is the store's name as it was given: the path of a file, or another address.
public enum StoreError: Error, Equatable, Sendable {
  // When it is opened.

  /// Thrown when the store does not exist, and must not be created. `schemas` are those of the same
  /// database that hold a store, in order.
  case notFound(store: String, schemas: [String] = [])
  /// Thrown when the file is not a SQLite database.
  case notADatabase(store: String)
  /// Thrown when the database belongs to another program.
  case foreign(store: String)
  /// Thrown when a newer ListSync wrote the store.
  case newer(store: String, schema: Int, known: Int)
  /// Thrown when an older ListSync wrote the store, and the store is opened only for reading.
  case older(store: String, schema: Int, known: Int)
  /// Thrown when a development version wrote the store, before the first release.
  case unreleased(store: String)
  /// Thrown when the store cannot be opened or created.
  case cannotOpen(store: String, reason: String)
  /// Thrown when the store's server cannot be reached or refuses the connection; also when the
  /// connection is lost while the store is in use.
  case unreachable(store: String, reason: String, remedy: String)

  // When it is copied.

  /// Thrown when something exists already at the place of the copy.
  case alreadyThere(place: String)
  /// Thrown when the copy would replace this store, or perhaps another one in use.
  case inUse(place: String, reason: String)
  /// Thrown when the system cannot write the copy, for example for a limit of the size of files.
  case notCopied(place: String, reason: String)

  // When it is used.

  /// Thrown when another process held the store for longer than the time-out.
  case busy
  /// Thrown when the store cannot be written.
  case readOnly(reason: String)
  /// Thrown when the store's server does not allow this user to read or write.
  case notPermitted(reason: String)
  /// Thrown when the store's name leads to another store than the open one, or to none. The written
  /// data is lost.
  case replaced(store: String)
  case diskFull
  /// Thrown when the system could not read or write the store.
  case inputOutput(reason: String)
  /// Thrown when the list's head is not the version that the new one follows.
  case headMoved
  /// Thrown when a list has had as many changes or versions as can be numbered.
  case listFull
  /// Thrown when the first items of a list contain the same item twice.
  case duplicateItem
  /// Thrown when the first items of a list do not have its root.
  case wrongRoot
  /// Thrown when stored data is damaged: it is not as it was written.
  case corrupt(reason: String)
  /// Thrown for an error of the database that no case above names.
  case database(reason: String)
}

/// An error that may report damaged data. A store on several machines, which have no common state,
/// reads the data again before it throws such an error.
public protocol DamageError: Error {
  var saysDamage: Bool { get }
}

extension StoreError: DamageError {
  public var saysDamage: Bool { if case .corrupt = self { true } else { false } }
}

/// Describes the fault, for people. The caller adds the remedy.
extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notFound(let store, let schemas):
      schemas.isEmpty
        ? "there is no store at \(store)"
        : "there is no store at \(store); the database has one in another schema"
    case .notADatabase(let store): "\(store) is not a database; it was not touched"
    case .foreign(let store): "\(store) is the database of another program; it was not touched"
    case .newer(let store, let schema, let known):
      """
      \(store) was written by a newer listsync (schema \(schema), this one knows \(known)); it was \
      not touched
      """
    case .older(let store, let schema, let known):
      """
      \(store) was written by an older listsync (schema \(schema), this one reads \(known)), and \
      must be upgraded first; it was not touched
      """
    case .unreleased(let store):
      """
      \(store) was written by a development version of listsync, before the first release; this \
      one cannot read it, and did not touch it
      """
    case .cannotOpen(let store, let reason): "cannot open \(store): \(reason)"
    case .unreachable(let store, let reason, remedy: _): "cannot use \(store): \(reason)"
    case .alreadyThere(let place): "\(place) is there already"
    case .inUse(let place, let reason): "\(place) is not replaced: \(reason)"
    case .notCopied(let place, let reason): "cannot write \(place): \(reason)"
    case .busy: "another process is writing to the store"
    case .readOnly(let reason): "the store cannot be written: \(reason)"
    case .notPermitted(let reason): "the user of the store may not do this: \(reason)"
    case .replaced(let store):
      "\(store) was replaced or removed while the store was open; nothing was kept"
    case .diskFull: "the disk is full"
    case .inputOutput(let reason): "reading or writing the store failed: \(reason)"
    case .headMoved: "the list moved on meanwhile"
    case .listFull: "the list has had as many changes or versions as can be numbered"
    case .duplicateItem: "an item stands in the list twice"
    case .wrongRoot: "the items do not have the root of the list"
    case .corrupt(let reason): "the store is damaged: \(reason)"
    case .database(let reason): "the store failed: \(reason)"
    }
  }
}
