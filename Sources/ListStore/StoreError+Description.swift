/// What is wrong, for people; what to do about it is for whoever shows it.
extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notFound(let path): "there is no store at \(path)"
    case .notADatabase(let path): "\(path) is not a database; it was not touched"
    case .foreign(let path): "\(path) is the database of another program; it was not touched"
    case .newer(let path, let schema, let known):
      """
      \(path) was written by a newer listsync (schema \(schema), this one knows \(known)); it was not \
      touched
      """
    case .cannotOpen(let path, let reason): "cannot open \(path): \(reason)"
    case .alreadyThere(let path): "\(path) is there already"
    case .inUse(let path, let reason): "\(path) is not replaced: \(reason)"
    case .busy: "another process is writing to the store"
    case .readOnly(let reason): "the store cannot be written: \(reason)"
    case .replaced(let path):
      "\(path) was replaced or removed while the store was open; nothing was kept"
    case .diskFull: "the disk is full"
    case .inputOutput(let reason): "reading or writing the store failed: \(reason)"
    case .headMoved: "the list moved on meanwhile"
    case .listFull: "the list has had as many changes or versions as can be numbered"
    case .duplicateItem: "an item stands in the list twice"
    case .corrupt(let reason): "the store is damaged: \(reason)"
    case .database(let reason): "the store failed: \(reason)"
    }
  }
}
