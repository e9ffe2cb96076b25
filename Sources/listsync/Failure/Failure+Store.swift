import ListStore

extension Failure {
  init(_ error: StoreError) {
    switch error {
    case .notFound(let path):
      self.init(
        .failure, "there is no store at \(path)",
        "'listsync commit' makes one; or name another with --store or LISTSYNC_STORE.")
    case .notADatabase(let path):
      self.init(
        .failure, "\(path) is not a database; it was not touched", "Name a store with --store.")
    case .foreign(let path):
      self.init(
        .failure, "\(path) is the database of another program; it was not touched",
        "Name a store with --store.")
    case .newer(let path, let schema, let known):
      self.init(
        .failure,
        """
        \(path) was written by a newer listsync (schema \(schema), this one knows \(known)); it \
        was not touched
        """,
        "Install a newer listsync.")
    case .cannotOpen(let path, let reason):
      self.init(
        .inputOutput, "cannot open \(path): \(reason)",
        "Check that the folder is there and may be written.")
    case .alreadyThere(let path):
      self.init(.failure, "\(path) is there already", "Name another file, or add --force.")
    case .inUse(let path, let reason):
      self.init(
        .failure, "\(path) is not replaced: \(reason)",
        "Name another file; a log goes when the last program closes its store.")
    case .busy:
      self.init(
        .busy, "another process is writing to the store",
        """
        Nothing was changed: try again, or wait longer, so many seconds as \
        \(Settings.Wait.variable) says.
        """)
    case .readOnly(let reason):
      self.init(
        .inputOutput, "the store cannot be written: \(reason)",
        "Nothing was changed: check the permissions of the file and its folder.")
    case .diskFull:
      self.init(.inputOutput, "the disk is full", "Nothing was changed: make room and try again.")
    case .inputOutput(let reason):
      self.init(
        .inputOutput, "reading or writing the store failed: \(reason)",
        """
        Check the disk and the system's log, then run 'listsync verify'; what is sent again is not \
        done twice.
        """)
    case .headMoved:
      self.init(.busy, "the list moved on meanwhile", "Nothing was changed: try again.")
    case .listFull:
      self.init(
        .failure, "the list has had 4,294,967,295 changes, which is as many as can be kept",
        "Nothing was changed: go on in a new list.")
    case .duplicateItem:
      self.init(.failure, "an item stands in the list twice", "Nothing was changed.")
    case .corrupt(let reason):
      self.init(
        .integrity, "the store is damaged: \(reason)",
        "Run 'listsync verify', and restore the store from a backup.")
    case .database(let reason):
      self.init(.failure, "the store failed: \(reason)")
    }
  }
}

extension Failure {
  init(_ error: VacuumError) {
    let cause = Failure(error.cause)
    self.init(
      cause.code, "the space was not given back: \(cause.message)",
      "What was pruned stays pruned: run the same again to free its space.")
  }
}
