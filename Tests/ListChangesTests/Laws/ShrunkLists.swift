import TestSupport

/// Throws if lists break a law.
typealias LawCheck = @Sendable ([[Pair]]) async throws -> Void

/// The fewest and shortest lists that still break a law.
struct ShrunkLists: CustomStringConvertible {
  private(set) var lists: [[Pair]]
  private var words = "nothing is broken any more"
  private let check: LawCheck

  /// - Parameters:
  ///   - leastCount: the smallest number of lists that the check accepts.
  init(
    _ lists: [[Pair]], leastCount: Int = 2, breaking check: @escaping LawCheck
  ) async {
    self.lists = lists
    self.check = check
    self.lists = await lists.shrunk {
      if $0.count < leastCount { return false }
      return await isBroken($0)
    }
    await dropIDs()
    for index in self.lists.indices { await dropItems(at: index) }
    await clearContents()
    if let broken = await brokenLaw({ try await check(self.lists) }) { words = broken }
  }

  private func isBroken(_ lists: [[Pair]]) async -> Bool {
    await brokenLaw { try await check(lists) } != nil
  }

  private mutating func dropIDs() async {
    let all = Set(lists.joined().map(\.id)).sorted()
    let lists = lists
    func filtered(_ ids: [Int]) -> [[Pair]] {
      let ids = Set(ids)
      return lists.map { $0.filter { ids.contains($0.id) } }
    }
    self.lists = filtered(await all.shrunk { await isBroken(filtered($0)) })
  }

  private mutating func dropItems(at index: Int) async {
    let lists = lists
    func replaced(_ list: [Pair]) -> [[Pair]] {
      var replaced = lists
      replaced[index] = list
      return replaced
    }
    self.lists = replaced(await lists[index].shrunk { await isBroken(replaced($0)) })
  }

  private mutating func clearContents() async {
    let cleared = lists.map { $0.map { Pair(id: $0.id, value: 0) } }
    if await isBroken(cleared) { lists = cleared }
  }

  var description: String {
    words + ": " + lists.map { "\($0)" }.joined(separator: " → ").prefix(4_000)
  }
}
