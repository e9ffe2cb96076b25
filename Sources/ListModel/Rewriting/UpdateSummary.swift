import ListChanges

/// What updates have in common: how many items changed in each member, and by which kind of change.
public struct UpdateSummary: Equatable, Sendable {
  /// A member that changed in some items, always by one kind.
  public struct Member: Equatable, Sendable {
    public let path: JSONPointer
    /// Nil for changes that look like edits.
    public let kind: RewritingKind?
    public let itemCount: Int
    /// The first item, and how its member changed.
    public let example: (id: ItemID, change: MemberChange)

    public static func == (a: Member, b: Member) -> Bool {
      (a.path, a.kind, a.itemCount, a.example.id, a.example.change)
        == (b.path, b.kind, b.itemCount, b.example.id, b.example.change)
    }
  }

  public let updateCount: Int
  /// How many updates have changes that look like a tool's, and no others.
  public let rewrittenCount: Int
  /// The members of most items first.
  public let members: [Member]

  /// - Complexity: O(bytes of the updated items).
  public init(_ changes: ChangeSet<Item>) { self.init(changes.updated) }

  private init(_ updates: some Sequence<ChangeSet<Item>.Update>) {
    var counter = MemberCounter()
    for update in updates { counter.count(update) }
    (updateCount, rewrittenCount) = (counter.updateCount, counter.rewrittenCount)
    members = counter.members
  }

  /// The summary of changes that look like the work of a tool that read a list and wrote it again,
  /// rather than like edits: at least nine of ten updates, two or more, and at least one tenth of
  /// the items that both lists have.
  ///
  /// - Returns: nil for other changes.
  /// - Complexity: O(bytes of the updated items); of 1,000 of them where the changes look like
  ///   edits.
  public static func rewriting(in changes: ChangeSet<Item>) -> UpdateSummary? {
    let updates = changes.updated
    let commonCount = changes.oldCount - changes.removed.count
    guard updates.count >= 2, updates.count * 10 >= commonCount else { return nil }
    let step = max(updates.count / sampleCount, 1)
    let sample = stride(from: 0, to: updates.count, by: step).lazy.map { updates[$0] }
    guard UpdateSummary(sample).isRewriting else { return nil }
    let summary = UpdateSummary(changes)
    return summary.isRewriting ? summary : nil
  }

  private static let sampleCount = 1000

  private var isRewriting: Bool { rewrittenCount * 10 >= updateCount * 9 }
}

private struct MemberCounter {
  private struct Key: Hashable {
    let path: JSONPointer
    let kind: RewritingKind?
  }

  private var counts: [Key: (itemCount: Int, example: (id: ItemID, change: MemberChange))] = [:]
  private(set) var updateCount = 0
  private(set) var rewrittenCount = 0

  mutating func count(_ update: ChangeSet<Item>.Update) {
    let changes = update.old.content.memberChanges(to: update.new.content)
    let renamed = Self.renamedMembers(in: changes)
    var isRewritten = true
    for (index, change) in changes.enumerated() {
      let kind =
        renamed.contains(index) ? .name : RewritingKind(from: change.old, to: change.new)
      isRewritten = isRewritten && kind != nil
      counts[Key(path: change.path, kind: kind), default: (0, (update.new.id, change))]
        .itemCount += 1
    }
    updateCount += 1
    if isRewritten { rewrittenCount += 1 }
  }

  /// The indexes of members that are gone, and of others with their values and nearly their names.
  private static func renamedMembers(in changes: [MemberChange]) -> Set<Int> {
    let gone = changes.indices.filter { changes[$0].new == nil }
    let new = changes.indices.filter { changes[$0].old == nil }
    if gone.isEmpty || new.isEmpty { return [] }
    var plainNames: [[String]: Int] = [:]
    for index in gone { plainNames[plainName(changes[index].path)] = index }
    var renamed: Set<Int> = []
    for index in new {
      guard let old = plainNames[plainName(changes[index].path)],
        changes[old].old == changes[index].new
      else { continue }
      renamed.formUnion([old, index])
    }
    return renamed
  }

  /// A path in lower case, without a number that a tool appends to the second of two names.
  private static func plainName(_ path: JSONPointer) -> [String] {
    guard let last = path.tokens.last?.lowercased() else { return [] }
    let number = last.reversed().prefix { $0.isNumber }.count
    let stem = last.dropLast(number)
    let name = number > 0 && stem.last == "_" ? stem.dropLast() : last[...]
    return path.tokens.dropLast() + [String(name)]
  }

  var members: [UpdateSummary.Member] {
    counts.map { key, value in
      UpdateSummary.Member(
        path: key.path, kind: key.kind, itemCount: value.itemCount, example: value.example)
    }
    .sorted { a, b in
      if a.itemCount != b.itemCount { return a.itemCount > b.itemCount }
      let (one, other) = (a.path.description, b.path.description)
      if one != other { return one.utf8.lexicographicallyPrecedes(other.utf8) }
      return (a.kind?.rawValue ?? "") < (b.kind?.rawValue ?? "")
    }
  }
}
