import Foundation
import ListModel

/// One call of one caller upon a list, as the caller saw it.
package struct RecordedCall: Codable, Equatable, Sendable {
  package enum Outcome: Codable, Equatable, Sendable {
    case committed(Commit)
    /// The head was not the expected one.
    case refused(expected: Cursor, head: Cursor)
    /// The head, with the root of what was read; pages that end before it are not read as one.
    case read(Cursor, root: Root)
    case caughtUp(CatchUp)
    case tooOld(since: Cursor, oldest: Version)
    /// Down to so many versions; the oldest that is left.
    case pruned(keepLast: Int, oldest: Version)
    /// The file was vacuumed, or the list packed or unpacked.
    case tidied
    /// Another one held the store for too long.
    case busy
    /// An error that must not happen.
    case failed(String)
  }

  package struct Commit: Codable, Equatable, Sendable {
    package let state: Cursor
    package let root: Root
    /// Nil where the author expected nothing.
    package let expected: Cursor?
    package let change: Change

    package init(state: Cursor, root: Root, expected: Cursor?, change: Change) {
      (self.state, self.root) = (state, root)
      (self.expected, self.change) = (expected, change)
    }
  }

  /// The change that a commit makes to any list.
  package enum Change: Codable, Equatable, Sendable {
    /// Counts up: the item `counter` gets the number that comes after the one that was read, and
    /// the name of who counted.
    case count(Int, by: String)
    /// An item gets a number; nothing else changes.
    case mark(String, Int)
    /// A list in place of the one that is there, made from a seed.
    case whole(UInt64)
  }

  package struct CatchUp: Codable, Equatable, Sendable {
    package let from: Cursor
    package let to: Cursor
    /// Of the caller's own copy, brought forward.
    package let root: Root
    /// Of the changes, as ``ChangeDigest`` makes it.
    package let digest: String
    package let oldest: Version
    /// Whether more follows.
    package let more: Bool

    package init(
      from: Cursor, to: Cursor, root: Root, digest: String, oldest: Version, more: Bool
    ) {
      (self.from, self.to, self.root) = (from, to, root)
      (self.digest, self.oldest, self.more) = (digest, oldest, more)
    }
  }

  package let caller: String
  /// Of the caller's calls, from 1.
  package let number: Int
  package let list: String
  /// Nanoseconds of a clock that all processes share.
  package let invokedAt: UInt64
  package let respondedAt: UInt64
  package let outcome: Outcome

  package init(
    caller: String, number: Int, list: String, invokedAt: UInt64, respondedAt: UInt64,
    outcome: Outcome
  ) {
    (self.caller, self.number, self.list) = (caller, number, list)
    (self.invokedAt, self.respondedAt, self.outcome) = (invokedAt, respondedAt, outcome)
  }
}

extension RecordedCall {
  package func line() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }

  package init(line: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
  }
}

/// A clock that never goes back, and is one for all processes of a machine.
package enum SharedClock {
  package static var nanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
