import ListChanges
import ListModel
import ListStore

/// Snapshots are rebuilt from steps here.
extension ListReader {
  /// The keys of a list's items at a version.
  ///
  /// - Complexity: O(c log c) for the c changes up to the version.
  func storedItems(at version: Version, of list: ListRecord) throws -> [StoredItem] {
    guard version > .zero else { return [] }
    let steps = try steps(Version(1)...version, of: list.key)
    do {
      guard let changes = ChangeSet.composing(steps.map(\.changes)) else { return [] }
      return try [StoredItem]().applying(changes)
    } catch {
      throw ServiceError.broken(list: list.name, version: version, reason: "\(error)")
    }
  }

  /// The items that keys stand for.
  func items(_ stored: [StoredItem]) throws -> [Item] {
    let ids = try ids(of: stored.map(\.id))
    let contents = try contents(of: stored.map(\.content))
    return zip(ids, contents).map { Item(id: $0, content: $1) }
  }

  func snapshot(at version: Version, of list: ListRecord) throws -> Snapshot {
    do {
      return try Snapshot(items(storedItems(at: version, of: list)))
    } catch let error as ListChangesError<ItemID> {
      throw ServiceError.broken(list: list.name, version: version, reason: "\(error)")
    }
  }
}
