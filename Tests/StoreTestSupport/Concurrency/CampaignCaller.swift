import ListModel
import ListStore

/// One of many that use a store at the same time.
package struct CampaignCaller: Sendable {
  package enum Role: String, CaseIterable, Sendable {
    /// Counts up from what it read, expecting that nothing has changed.
    case counter
    /// Puts an item into the same list, whatever the list is.
    case marker
    /// Puts one list in place of another, whatever that is.
    case replacer
    case reader
    case pruner
  }

  /// Counters and markers write the first, replacers the second.
  package static let lists = [ListName("counted")!, ListName("replaced")!]

  package let role: Role
  package let index: Int
  package let seed: UInt64
  package let callCount: Int

  package init(role: Role, index: Int, seed: UInt64, callCount: Int) {
    (self.role, self.index, self.seed, self.callCount) = (role, index, seed, callCount)
  }

  package var name: String { "\(role.rawValue)-\(index)" }

  /// Eight that write, with an expectation and without, four that read, and one that prunes.
  package static func all(callCount: Int, seed: UInt64) -> [CampaignCaller] {
    let roles: [Role] =
      Array(repeating: .counter, count: 4) + [.marker, .marker, .replacer, .replacer]
      + Array(repeating: .reader, count: 4) + [.pruner]
    return roles.enumerated().map { index, role in
      CampaignCaller(role: role, index: index, seed: seed &+ UInt64(index), callCount: callCount)
    }
  }

  /// Makes the calls, one after the other.
  ///
  /// - Parameters:
  ///   - reopens: whether the store is now and then opened anew.
  ///   - open: opens the store.
  ///   - receive: called with every call when it has returned.
  package func run(
    reopens: Bool, open: () throws -> any ListStore, receive: (RecordedCall) throws -> Void
  ) async throws {
    var calls = CallSequence(self, on: try open())
    for _ in 0..<callCount {
      if reopens, calls.isTimeToReopen() { calls.continue(on: try open()) }
      for call in await calls.next() { try receive(call) }
    }
  }
}
