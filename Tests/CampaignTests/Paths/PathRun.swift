import Foundation

/// A law that a run broke, with the details.
struct PathViolation: Sendable {
  let trial: PathCase
  let law: PathLaw
  let detail: String
}

/// The laws of every run.
enum PathLaw: String, CaseIterable, Sendable {
  case exitCode = "exit code"
  case endsInTime = "ends in time"
  case othersUntouched = "other files are untouched"
  case targetKeepsItself = "the file stays what it is"
  case refusalChangesNothing = "a refusal changes nothing"
  case isSeen = "what was done is seen under the same name"
  case sameAnswer = "the same answer as under the plain name"
  case ownerGoesOn = "the owner's next commit works"
  case textNamesPath = "the error names the path"
}

/// One run of a case, judged.
struct PathRun {
  private let world: PathWorld
  private var trial: PathCase { world.trial }
  private(set) var violations: [PathViolation] = []
  private var outcome: SpawnedProgram.Outcome
  private var isWaiting: Bool { outcome.isTimedOut && trial.expectation.allowsWaiting }

  /// Ends a hanging verb; under load a verb takes seconds.
  private static let longestSeconds = 40.0
  /// The limit for a verb on a pipe, since many of them could hang.
  private static let pipeSeconds = 8.0
  /// How long a verb that may wait is allowed to wait.
  private static let waitSeconds = 1.5

  init(_ trial: PathCase, from templates: PathTemplates) async throws {
    world = try await PathWorld(trial, from: templates)
    let before = try world.tree
    outcome = try await Self.run(in: world)
    let after = try world.tree
    judgeEnd()
    judgeFiles(before, after)
    try await judgeEffect()
  }

  private static func run(in world: PathWorld) async throws -> SpawnedProgram.Outcome {
    let trial = world.trial
    let command = world.command(trial.argument.words)
    let program = try SpawnedProgram(
      command.words, in: world.work, environment: command.environment, user: trial.place.user)
    guard trial.thing == .fifoWithPeer else {
      let seconds = trial.thing == .fifo ? pipeSeconds : longestSeconds
      return try await program.outcome(
        within: trial.expectation.allowsWaiting ? waitSeconds : seconds)
    }
    let path = RawPath(world.work.path) / world.spelled.file
    let deed = try trial.fitting.map { FIFOPeer.Deed.gives(try world.templates.path($0).read()) }
    let peer = FIFOPeer(deed ?? .takes, at: path)
    defer { peer.end() }
    return try await program.outcome(within: pipeSeconds)
  }

  private mutating func note(_ law: PathLaw, _ detail: String) {
    violations.append(
      PathViolation(
        trial: trial, law: law,
        detail: "\(detail)\n  \(world.commandLine)\n  exit \(outcome.exitCode): "
          + "\(outcome.errorText.prefix(400))"))
  }

  private mutating func judgeEnd() {
    if outcome.isTimedOut {
      if !isWaiting { note(.endsInTime, "it did not end") }
      return
    }
    if !trial.expectation.allows(outcome.exitCode) {
      note(.exitCode, "must be: \(trial.expectation)")
    }
    // With 3 the store lacks a version or a tag; with 2 the program did not understand the path.
    // A message may give either name of a source with two names.
    if ![0, 2, 3].contains(outcome.exitCode), trial.thing != .hardLinkToSource,
      let name = world.spelled.given.fragment,
      !outcome.errorText.contains(name)
    {
      note(.textNamesPath, "'\(name)' is not in the text")
    }
  }
}

// MARK: Files

extension PathRun {
  private mutating func judgeFiles(_ before: FileTree, _ after: FileTree) {
    let changes = before.changes(to: after)
    let isDone = outcome.exitCode == 0
    for (path, words) in changes.sorted(by: { $0.key.description < $1.key.description })
    where !isLog(path) {
      let text = "\(path): \(words.joined(separator: ", "))"
      let isTarget = targets.contains(path) || companions.contains(path)
      if !isDone, isEmptyStart(path, after) { continue }
      if !isDone {
        note(
          isTarget || path == "own.db" ? .refusalChangesNothing : .othersUntouched, text)
      } else if !isAllowed(path, words) {
        note(isTarget ? .targetKeepsItself : .othersUntouched, text)
      }
    }
  }

  /// The files that the path may mean, relative to the working folder.
  private var targets: Set<RawPath> {
    let file = world.spelled.file
    switch trial.thing {
    case .device, .fifo, .fifoWithPeer, .folder, .linkLoop, .linkToSource: return []
    case .danglingLink: return [file.folder / "elsewhere.x"]
    default: return world.spelled.hasHardLink ? [file, "place/place.x"] : [file]
    }
  }

  private var companions: Set<RawPath> {
    Set(targets.flatMap { target in ["-wal", "-shm"].map { target + $0 } })
  }

  /// Whether a file is a store that SQLite created without room for its contents. The program does
  /// not remove it, since another process may use it by then.
  private func isEmptyStart(_ path: RawPath, _ after: FileTree) -> Bool {
    trial.place == .full && targets.contains(path) && trial.thing == .absent
      && after.files[path]?.content.isEmpty == true && trial.argument.isStore
  }

  /// Whether a file is shared by the processes that have the store open, or is a write-ahead log
  /// that stays. SQLite cannot copy a log into the store if the log is damaged, if the disk is
  /// full, or if another user owns it.
  private func isLog(_ path: RawPath) -> Bool {
    let isLeft = trial.place.isHeld || trial.place.isOwnersOwn || trial.place == .full
    // A verb killed while it waits leaves the write-ahead log of its open store.
    if isWaiting, ["own.db-wal", "own.db-shm"].contains(path) { return true }
    return (isLeft || trial.thing == .truncated) && companions.contains(path)
  }

  /// Whether a verb that succeeded may change a file in this way.
  private func isAllowed(_ path: RawPath, _ words: [String]) -> Bool {
    if targets.contains(path) { return isAllowedOfTarget(words) }
    switch trial.argument.role {
    case .store:
      return ["backup", "copy --from"].contains(trial.argument.name) && path == "copy.db"
    case .input, .repository: return path == "own.db" && words == ["bytes"]
    case .output: return false
    }
  }

  private func isAllowedOfTarget(_ words: [String]) -> Bool {
    switch trial.argument.role {
    case .store(.reads), .store(.readsIfThere): return false
    case .store: return words == ["bytes"] || words == ["appeared"]
    case .output(_, let replaces):
      return words == ["appeared"] || replaces && Set(words).isSubset(of: ["bytes", "inode"])
    case .input, .repository: return false
    }
  }
}

// MARK: After the run

extension PathRun {
  private mutating func judgeEffect() async throws {
    guard outcome.exitCode == 0 else { return try await judgeOwner() }
    if let answer = world.answer, answer != outcome.output {
      note(.sameAnswer, "it says \(outcome.text.prefix(300))")
    }
    if let proof = trial.argument.proof, !trial.hasNoEffect,
      ![.device, .fifoWithPeer, .fifo].contains(trial.thing)
        || !trial.argument.isOutput
    {
      let command = world.command(proof.words)
      let second = try await SpawnedProgram(
        command.words, in: world.work, environment: command.environment, user: trial.place.user
      ).outcome()
      if second.exitCode != 0 || second.text.contains(proof.text) != proof.isThere {
        note(.isSeen, "a second process says \(second.text.prefix(200)) \(second.errorText)")
      }
    }
    try await judgeOwner()
  }

  private mutating func judgeOwner() async throws {
    // Any process may refuse a store with two names.
    guard trial.place.isOwnersOwn, trial.isOfStore, !world.spelled.hasHardLink else { return }
    let words = ["commit", "parks", "next.json", "--store", "place/place.x"]
    let commit = try await SpawnedProgram(
      words.map { Array($0.utf8) }, in: world.work, user: PathPlace.owner
    ).outcome()
    if commit.exitCode != 0 { note(.ownerGoesOn, commit.errorText) }
  }
}

extension RawPath {
  /// A part of the last name that every readable form of the name contains; nil if there is none.
  fileprivate var fragment: String? {
    let parts = bytes.split { byte in
      !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return parts.last { $0.count > 1 }.map { String(decoding: $0.prefix(20), as: UTF8.self) }
  }
}
