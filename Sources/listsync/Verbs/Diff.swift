import ArgumentParser
import ListChanges
import ListModel
import SyncClient
import SyncService

struct Diff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows the changes between two versions, for people.",
    discussion: """
      Each line starts with the kind of change: - removed, + inserted, > moved, ~ updated. Then \
      come the index in the old list, the index in the new list, or both. Without a version, the \
      last change is shown; with one, the changes from it to the newest version.

      With --replica, the old list is that of a replica's file, and LIST, LIST REV or LIST@REV is \
      the new one. With two replicas' files, the list of the second is the new one.

      EXAMPLE
        listsync diff parks
        listsync diff parks 1900-01-01 2000-01-01
        listsync diff parks@spring..head --ignore-field /updated_at
        listsync diff parks@5 films@7 --stat
        listsync diff parks --replica parks.replica
        listsync diff --replica old.replica --replica new.replica
      """)

  @Argument(
    help: ArgumentHelp("\(Comparison.forms); REV is \(Revision.forms).", valueName: "versions"),
    completion: .comparisons)
  var words: [String] = []
  @OptionGroup var replicas: ReplicaOptions
  @OptionGroup var difference: DifferenceOptions
  @OptionGroup var store: StoreArguments
  @OptionGroup var pager: PagerOptions
  @OptionGroup var answer: AnswerOptions

  /// The two sides of the comparison.
  private enum Subject {
    case versions(Comparison)
    case replica(with: ListRevision)
    case replicas
  }

  func validate() throws {
    _ = try subject()
    try difference.validate(isDocument: answer.isJSON)
  }

  private func subject() throws -> Subject {
    let text = Output.shortened(words.joined(separator: " "))
    switch replicas.paths.count {
    case 0:
      if let comparison = Comparison(words) { return .versions(comparison) }
      throw ValidationError(
        "'\(text)' names no two versions: write \(Comparison.forms); REV is \(Revision.forms).")
    case 1:
      if words.count <= 2, let target = ListRevision(words.joined(separator: "@")) {
        return .replica(with: target)
      }
      throw ValidationError(
        "'\(text)' names no version to compare the replica with: write LIST, LIST REV or LIST@REV.")
    case 2 where words.isEmpty: return .replicas
    default: throw ValidationError("name a list with --replica FILE, or two files with --replica.")
    }
  }

  func run() async throws {
    try await pager.page {
      switch try subject() {
      case .versions(let comparison): try await show(comparison)
      case .replica(let target):
        let new = try await store.service().snapshot(of: target.list, at: target.revision)
        try await showReplica(to: new.snapshot, new.state, of: target.list)
      case .replicas:
        let new = try await ReplicaFile.read(replicas.paths[1]).copy
        try await showReplica(to: new.snapshot, new.state)
      }
    }
  }

  private func show(_ comparison: Comparison) async throws {
    let service = try store.service()
    let delta = try await ProgressLine.timing("comparing") {
      try await service.difference(comparison)
    }
    let (old, new) = (comparison.old.list, comparison.new.list)
    let states = "\(old) \(Wording.state(delta.from)) → \(new) \(Wording.state(delta.to))"
    let titlePath = try await service.titlePath(of: new)
    try write(delta, title: old == new ? nil : states, titlePath: titlePath)
  }

  /// Shows the changes from the first replica's list. A list can have different names on the server
  /// and in the store, so names are not compared.
  private func showReplica(
    to snapshot: Snapshot, _ state: ListState, of list: ListName? = nil
  ) async throws {
    let (source, old) = try await ReplicaFile.read(replicas.paths[0])
    try write(
      Delta(
        list: list ?? source.list, from: old.state, to: state, oldest: nil,
        changes: old.snapshot.changes(to: snapshot)))
  }

  private func write(_ delta: Delta, title: String? = nil, titlePath: JSONPointer? = nil) throws {
    try difference.write(delta, asText: !answer.isJSON, title: title, titlePath: titlePath)
  }
}
