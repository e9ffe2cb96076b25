import ListModel

/// What can go wrong in a store.
public enum StoreError: Error, Equatable, Sendable {
  // When it is opened.

  /// Thrown when there is no store at the path, and none was to be made.
  case notFound(path: String)
  /// Thrown when the file is not a SQLite database.
  case notADatabase(path: String)
  /// Thrown when the file is the database of another program.
  case foreign(path: String)
  /// Thrown when a newer ListSync wrote the store.
  case newer(path: String, schema: Int, known: Int)
  /// Thrown when the file cannot be opened or made.
  case cannotOpen(path: String, reason: String)

  // When it is copied.

  /// Thrown when a file is where the copy was to go.
  case alreadyThere(path: String)
  /// Thrown when the file that was to be replaced is this store, or may be another one in use.
  case inUse(path: String, reason: String)

  // When it is used.

  /// Thrown when another process held the store for longer than the time-out.
  case busy
  /// Thrown when the store, or its folder, cannot be written.
  case readOnly(reason: String)
  /// Thrown when the path names another file than the one that was opened, or none. What was to be
  /// written is not kept in any file that a path names.
  case replaced(path: String)
  case diskFull
  /// Thrown when the system could not read or write the file.
  case inputOutput(reason: String)
  /// Thrown when the list's head is not the version that the append follows.
  case headMoved
  /// Thrown when a list has had as many changes or versions as can be numbered.
  case listFull
  /// Thrown when a list was to start with the same item twice.
  case duplicateItem
  /// Thrown when what is stored cannot be what was written.
  case corrupt(reason: String)
  /// Thrown for what SQLite reports and no case above names.
  case database(reason: String)
}
