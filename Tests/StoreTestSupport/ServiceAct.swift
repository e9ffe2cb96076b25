import ListChanges
import ListModel
import ListStore
import SyncService

/// An act on a store that fault campaigns disturb, whichever engine the store has. Running it twice
/// has the effect of running it once.
package struct ServiceAct: Sendable {
  package let name: String
  /// Whether the act makes a version. The store can find out whether a version was kept.
  package let makesVersion: Bool
  package let run: @Sendable (SyncService) async throws -> Void

  /// In an order in which each can follow the ones before it.
  package static let all = [
    commitDelta, commit, compact, checkpointedCommit, edit, revert, tag, prune, drop,
  ]

  /// The history that the acts go on from.
  package static func makeHistory(_ service: SyncService) async throws {
    for texts in [
      ["a", "b", "c"], ["a=1", "c", "b", "d"], ["d", "b=2"], ["e", "d=1", "b=2", "a"],
    ] {
      _ = try await service.commit(.init(list: .parks, snapshot: .of(texts)))
    }
    _ = try await service.commit(.init(list: .films, snapshot: .of("x", "y")))
  }

  package static let commit = ServiceAct(name: "commit", makesVersion: true) { service in
    var request = CommitRequest(list: .parks, snapshot: try .of("d=1", "f", "a=3", "e"))
    request.author = "Ada"
    _ = try await service.commit(request)
  }

  package static let checkpointedCommit = ServiceAct(
    name: "commit with a checkpoint", makesVersion: true
  ) { service in
    let ids = (0..<CheckpointRule.leastItemCount).map { "n\($0)" }
    _ = try await service.commit(.init(list: .parks, snapshot: .of(ids)))
  }

  package static let edit = ServiceAct(name: "edit", makesVersion: true) { service in
    _ = try await service.commit(
      CommitRequest(
        list: .parks,
        edits: [
          .put(try TestHistory.item("a", 7), .first), .put(try TestHistory.item("z", 1), .last),
        ]))
  }

  package static let revert = ServiceAct(name: "revert", makesVersion: true) { service in
    _ = try await service.commit(CommitRequest(list: .parks, revertTo: .version(Version(2))))
  }

  package static let commitDelta = ServiceAct(name: "commit --delta", makesVersion: true) {
    service in
    // The same delta, whether or not the store already has it.
    let head = try await service.snapshot(of: .parks, at: .version(Version(4)))
    let next = try Snapshot.of("b=2", "e=5", "g")
    let changes = BareChanges(head.snapshot.changes(to: next))
    _ = try await service.commit(
      CommitRequest(list: .parks, .changes(changes, from: head.state, to: ListState(of: next))))
  }

  package static let tag = ServiceAct(name: "tag", makesVersion: false) { service in
    _ = try await service.tag(TagName("spring")!, of: .parks, at: .version(Version(3)))
  }

  package static let prune = ServiceAct(name: "prune", makesVersion: false) { service in
    try await service.prune(keepLast: 2)
  }

  package static let compact = ServiceAct(name: "compact", makesVersion: false) { service in
    _ = try await service.compact(.parks)
  }

  package static let drop = ServiceAct(name: "drop", makesVersion: false) { service in
    do {
      _ = try await service.drop(DepartureRequest(list: .parks))
    } catch ServiceError.gone {
      // It was dropped before.
    }
  }
}
