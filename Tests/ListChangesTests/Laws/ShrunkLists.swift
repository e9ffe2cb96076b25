import TestSupport

/// The fewest and shortest lists that still break a law.
struct ShrunkLists: CustomStringConvertible {
  private(set) var lists: [[Pair]]
  private let check: ([[Pair]]) throws -> Void

  /// - Parameters:
  ///   - leastCount: the smallest number of lists that the check accepts.
  ///   - check: throws if these lists break the law.
  init(
    _ lists: [[Pair]], leastCount: Int = 2, breaking check: @escaping ([[Pair]]) throws -> Void
  ) async {
    self.lists = lists
    self.check = check
    self.lists = await lists.shrunk { $0.count >= leastCount && isBroken($0) }
    await dropIDs()
    for index in self.lists.indices { await dropItems(at: index) }
    await clearContents()
  }

  private func isBroken(_ lists: [[Pair]]) -> Bool { broken { try check(lists) } != nil }

  private mutating func dropIDs() async {
    let all = Set(lists.joined().map(\.id)).sorted()
    let lists = lists
    func filtered(_ ids: [Int]) -> [[Pair]] {
      let ids = Set(ids)
      return lists.map { $0.filter { ids.contains($0.id) } }
    }
    self.lists = filtered(await all.shrunk { isBroken(filtered($0)) })
  }

  private mutating func dropItems(at index: Int) async {
    let lists = lists
    func replaced(_ list: [Pair]) -> [[Pair]] {
      var replaced = lists
      replaced[index] = list
      return replaced
    }
    self.lists = replaced(await lists[index].shrunk { isBroken(replaced($0)) })
  }

  private mutating func clearContents() async {
    let cleared = lists.map { $0.map { Pair(id: $0.id, value: 0) } }
    if isBroken(cleared) { lists = cleared }
  }

  var description: String {
    let words = broken { try check(lists) } ?? "nothing is broken any more"
    return words + ": " + lists.map { "\($0)" }.joined(separator: " → ").prefix(4_000)
  }
}
