import Synchronization

/// How many bytes of answers are in memory: kept for later, or on their way to somebody.
final class HeldBytes: Sendable {
  private let total = Atomic<Int>(0)

  var count: Int { total.load(ordering: .relaxed) }

  func add(_ count: Int) { total.add(count, ordering: .relaxed) }
}
