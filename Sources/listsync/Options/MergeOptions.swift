import ArgumentParser
import ListChanges
import SyncService

/// The version that a change was made from, and the side that decides conflicts with newer ones.
struct MergeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The version that the change was made from. If there are newer ones, merge it with them.",
      valueName: "cursor"),
    transform: Revision.init(expected:))
  var base: Revision?
  @Option(
    name: .customLong("prefer"),
    help: ArgumentHelp("Decide conflicts of a merge for one side.", valueName: "side"))
  var side: MergeSide?

  /// - Throws: `ValidationError` for options that exclude each other.
  func validate(with options: CommitOptions, isRebase: Bool = false) throws {
    if base != nil || isRebase, options.expect != nil {
      throw ValidationError(
        "--expect refuses a change to an older version, and "
          + "\(isRebase ? "--rebase" : "--base") merges it: name one of them.")
    }
    if side != nil, base == nil, !isRebase {
      throw ValidationError("--prefer decides conflicts of a merge: name the version with --base.")
    }
  }

  func complete(_ request: inout CommitRequest) {
    if let base { request.merge(from: base, preferring: side) }
  }
}
