import ArgumentParser
import ListModel
import SyncClient
import SyncService

/// The replica files of a verb: the copies that `listsync pull` keeps. They are only read.
struct ReplicaOptions: ParsableArguments {
  @Option(
    name: .customLong("replica"),
    help: ArgumentHelp("A replica's file, as 'listsync pull' keeps it.", valueName: "file"),
    completion: .file())
  var paths: [String] = []

  /// The list of the only replica; nil without one.
  ///
  /// - Throws: `ReplicaError`.
  func snapshot() async throws -> Snapshot? {
    guard let path = paths.first else { return nil }
    return try await ReplicaFile.read(path).copy.snapshot
  }

  /// The changes from the first replica's list to a version of the store or, without a list, to the
  /// second replica's; nil without a replica.
  ///
  /// Lists may have another name in the store than on the server, so names are not compared.
  func delta(to list: ListName?, at revision: Revision, in store: StoreOptions) async throws
    -> Delta?
  {
    guard let path = paths.first else { return nil }
    let old = try await ReplicaFile.read(path)
    if let list {
      let new = try await store.service().snapshot(of: list, at: revision)
      return delta(list, from: old.copy, to: (new.state, new.snapshot))
    }
    let new = try await ReplicaFile.read(paths[1]).copy
    return delta(old.source.list, from: old.copy, to: (new.state, new.snapshot))
  }

  private func delta(
    _ list: ListName, from old: ListCopy, to new: (state: ListState, snapshot: Snapshot)
  ) -> Delta {
    Delta(
      list: list, from: old.state, to: new.state, oldest: nil,
      changes: old.snapshot.changes(to: new.snapshot))
  }
}
