import ListChanges
import ListModel
import ListStore

/// A law of the storage contract, which holds in every engine.
package struct StoreLaw: Sendable, CustomStringConvertible {
  /// The law as a statement.
  package let statement: String
  private let body: @Sendable (LawStore) async throws -> Void

  init(_ statement: String, _ body: @escaping @Sendable (LawStore) async throws -> Void) {
    self.statement = statement
    self.body = body
  }

  package var description: String { statement }

  /// - Parameter store: an empty store.
  /// - Throws: ``LawBroken``; what the store throws.
  package func check(_ store: any ListStore, seed: UInt64) async throws {
    try await body(LawStore(store: store, seed: seed))
  }

  /// All of them.
  package static let all =
    engine + lists + appending + looking + pruning + keeping + merging + exchanging + atOnce
    + following
}

/// A law that a store broke.
package struct LawBroken: Error, CustomStringConvertible {
  package let description: String
}

/// A store under a law.
struct LawStore: Sendable {
  let store: any ListStore
  let seed: UInt64

  func expect(
    _ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line,
    file: String = #fileID
  ) throws {
    if condition { return }
    throw LawBroken(description: "\(what()) (seed \(seed), \(file):\(line))")
  }

  /// - Throws: ``LawBroken`` when nothing, or another error, is thrown.
  func expect<Failure: Error & Equatable>(
    _ error: Failure, line: Int = #line, file: String = #fileID,
    from body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch let found as Failure where found == error {
      return
    } catch {
      throw LawBroken(description: "\(error) was thrown (\(file):\(line))")
    }
    throw LawBroken(description: "nothing was thrown in place of \(error) (\(file):\(line))")
  }

  /// Appends a version, without any of the service's decisions.
  @discardableResult
  func append(
    _ items: [Item], to name: ListName = .law, _ note: CommitNote = .law
  ) async throws -> VersionRecord {
    try await store.write { try $0.append(items, to: name, note) }
  }
}

extension ListName { static let law = ListName("law")! }

extension CommitNote { static let law = CommitNote(time: .law(0), author: "a\u{0}b") }

extension Timestamp {
  static func law(_ number: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(number))
  }
}

extension Item {
  /// An item from `id` or `id=number`.
  static func law(_ text: String) -> Item {
    let parts = text.split(separator: "=")
    let number = parts.count > 1 ? parts[1] : "0"
    return Item(
      id: ItemID(String(parts[0])), content: Content(canonicalBytes: Array(number.utf8)))
  }
}

extension [Item] {
  static func law(_ texts: String...) -> [Item] { texts.map { .law($0) } }
}

extension ListWriter {
  func append(
    _ new: [Item], to name: ListName, _ note: CommitNote
  ) throws -> VersionRecord {
    let list = try lockedList(name) ?? createList(name)
    let head = list.head > .zero ? try versions(list.head...list.head, of: list.key).last : nil
    guard var order = try headOrder(of: list) else {
      throw LawBroken(description: "the head of \(name) is not stored")
    }
    let old = Snapshot(uniqueItems: try items(of: order.items()))
    let step = old.changes(to: try Snapshot(new))
    let tree = try order.treeUpdate(step, from: head?.root ?? .empty) { ranges, _ in
      ranges.flatMap { old.items[$0] }
    }
    let (version, root) = (list.head.next, tree.tree.root)
    let record = VersionRecord(
      version: version, note: note, count: new.count, changes: ChangeCounts(step),
      root: root, previous: head?.chain ?? .zero)
    try append(plan(step, of: list.key, as: record, order: &order, tree))
    return record
  }
}

extension ListReader {
  /// The record of a list, which a writer locks.
  func record(of name: ListName) throws -> ListRecord {
    guard let list = try (self as? ListWriter)?.lockedList(name) ?? list(name) else {
      throw LawBroken(description: "\(name) is not there")
    }
    return list
  }

  /// The head as text.
  func head(of name: ListName) throws -> [Item] {
    let list = try record(of: name)
    guard let order = try headOrder(of: list) else {
      throw LawBroken(description: "the head of \(name) is not stored")
    }
    return try items(of: order.items())
  }

  /// A step as text.
  func texts(_ step: Step) throws -> ChangeSet<Item> {
    func item(_ stored: StoredItem) throws -> Item { try items(of: [stored])[0] }
    let changes = step.changes
    return try ChangeSet(
      oldCount: changes.oldCount, newCount: changes.newCount,
      removed: changes.removed.map { .init(from: $0.from, element: try item($0.element)) },
      moved: changes.moved.map { move in
        .init(from: move.from, to: move.to, id: try move.id.map { try ids(of: [$0])[0] })
      },
      inserted: changes.inserted.map { .init(to: $0.to, element: try item($0.element)) },
      updated: changes.updated.map { update in
        .init(
          from: update.from, to: update.to, old: try item(update.old), new: try item(update.new))
      })
  }
}
