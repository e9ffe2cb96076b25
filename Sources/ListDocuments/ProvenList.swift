import ListChanges
import ListModel

/// A list with the tree of its root, to which deltas are applied one after the other and proved.
///
///     var replay = DeltaReplay(snapshot)
///     for document in documents { try replay.apply(document) }
///
/// Over an array, each delta makes the list anew. Over a `ReplayedList`, each costs its changes.
public struct ProvenList<Elements: ChangeableItems>: Sendable {
  public private(set) var root: Root
  private var list: Elements
  /// The tree and the ids of the items; nil until changes need them.
  package private(set) var tree: RootTree?
  private var ids: Set<ItemID>?

  /// - Complexity: a SHA-256 for each item.
  public init(_ snapshot: Snapshot) {
    let snapshot = snapshot.withTree()
    self.init(snapshot, root: Root(of: snapshot))
  }

  /// - Precondition: The root is that of the snapshot.
  package init(_ snapshot: Snapshot, root: Root) {
    list = Elements(snapshot.items)
    (self.root, tree) = (root, snapshot.tree)
  }

  /// The number of items.
  public var count: Int { list.count }

  /// The snapshot that the deltas have led to.
  public var snapshot: Snapshot { Snapshot(uniqueItems: list.elements, tree: tree) }

  /// Whether the next changes hash their own ids only, for tests that count.
  package var knowsIDs: Bool { ids != nil }

  /// Makes the next list.
  ///
  /// - Returns: the changes, with the items that they remove and replace.
  /// - Throws: `DeltaError.notTheStart` when the delta starts from another list; `.changes` when
  ///   the changes do not fit the list; `.wrongResult` when they lead to another list than `to`
  ///   describes. The list cannot be used after `.wrongResult`; otherwise it is unchanged.
  /// - Complexity: for d changes to n items O(n + d log d) over an array, and O(d log n) amortised
  ///   over a `ReplayedList`; a SHA-256 for each new or updated item, and one or two on each of
  ///   log n levels. The first changes also hash all n ids and, if the list was made with a given
  ///   root, all items.
  @discardableResult
  public mutating func apply(_ document: DeltaDocument) throws(DeltaError) -> ChangeSet<Item> {
    let (from, to) = (document.from, document.to)
    guard count == from.count, root == from.root else {
      throw .notTheStart(expected: from.root, found: root)
    }
    let step: ChangeSet<Item>
    do {
      step = try apply(document.changes)
    } catch {
      throw .changes(error)
    }
    guard count == to.count, root == to.root else {
      throw .wrongResult(expected: to.root, found: root)
    }
    return step
  }

  /// Makes the next list from a document of any kind. A whole list replaces this one.
  ///
  /// - Parameters:
  ///   - document: changes, or a whole list.
  ///   - limits: hold for the contents that patches make.
  /// - Throws: As ``apply(_:)``, and `DeltaError.limit`.
  public mutating func apply(
    _ document: DeltaSequence.Document, limits: Limits = .standard
  ) throws(DeltaError) {
    switch document {
    case .changes(let document): try apply(document)
    case .merged(let document):
      // A patch on another content would be reported as a wrong result.
      guard count == document.from.count, root == document.from.root else {
        throw .notTheStart(expected: document.from.root, found: root)
      }
      try apply(document.completed(limits: limits) { list[$0] })
    case .snapshot(let document):
      self = ProvenList(document.snapshot, root: document.to.root)
    }
  }

  /// Makes the next list, without an expected result.
  ///
  /// - Throws: `ListChangesError` when the changes do not fit the list, or insert an id that it
  ///   holds; the list is then unchanged.
  mutating func apply(_ changes: BareChanges) throws(ListChangesError<ItemID>) -> ChangeSet<Item> {
    let step = try completed(changes)
    if ids == nil { ids = Set(list.elements.map(\.id)) }
    guard ids?.apply(step) == true else {
      // Applying to the whole list reports both indexes of the repeated id.
      _ = try snapshot.applying(step)
      preconditionFailure("the list holds an inserted id")
    }
    let before = tree ?? RootTree(of: list.elements)
    try list.apply(step)
    let after = before.advanced(by: step)
    (tree, root) = (after, after.root)
    return step
  }

  private func completed(
    _ changes: BareChanges
  ) throws(ListChangesError<ItemID>) -> ChangeSet<Item> {
    guard changes.oldCount == count else {
      throw .countMismatch(expected: changes.oldCount, found: count)
    }
    do {
      return try changes.completed { list[$0] }
    } catch let error as ListChangesError<ItemID> {
      throw error
    } catch {
      preconditionFailure("finding an item throws no error: \(error)")
    }
  }
}

/// Applies many deltas to one list, each at the cost of its changes.
public typealias DeltaReplay = ProvenList<ReplayedList<Item>>

/// Items in order, to which change sets can be applied.
public protocol ChangeableItems: Sendable {
  init(_ elements: [Item])
  var count: Int { get }
  var elements: [Item] { get }
  subscript(index: Int) -> Item { get }

  /// - Throws: `ListChangesError` when the step starts from another list, which is then unchanged.
  mutating func apply(_ step: ChangeSet<Item>) throws(ListChangesError<ItemID>)
}

extension ReplayedList<Item>: ChangeableItems {}

extension [Item]: ChangeableItems {
  public var elements: [Item] { self }

  public mutating func apply(_ step: ChangeSet<Item>) throws(ListChangesError<ItemID>) {
    self = try applying(step)
  }
}

extension Set<ItemID> {
  /// Updates the ids of a list by a step.
  ///
  /// - Returns: false when the step would put an id into the list twice; the ids are then
  ///   unchanged.
  /// - Complexity: O(d) for d changes.
  fileprivate mutating func apply(_ step: ChangeSet<Item>) -> Bool {
    let removed = Set(step.removed.map(\.element.id))
    let inserted = Set(step.inserted.map(\.element.id))
    guard inserted.count == step.inserted.count,
      inserted.allSatisfy({ !contains($0) || removed.contains($0) })
    else { return false }
    subtract(removed)
    formUnion(inserted)
    return true
  }
}
