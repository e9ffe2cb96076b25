import Foundation
import TestSupport

/// A folder with all files of a case, deleted with this object.
final class PathWorld: Sendable {
  let trial: PathCase
  let templates: PathTemplates
  let spelled: SpelledPath
  /// The verb's working folder.
  let work: URL
  /// The expected output, if it is known.
  let answer: [UInt8]?
  private let root: URL
  private let mount: PathMount?
  private let holder: SpawnedProgram?

  private static let documents = [
    "next.json", "item.json", "first.delta", "next.delta", "edits.ndjson", "parks.bundle",
    "parks.replica", "repository", "copied.db",
  ]

  init(_ trial: PathCase, from templates: PathTemplates) async throws {
    (self.trial, self.templates) = (trial, templates)
    root = try TemporaryFolder.make()
    work = root.appendingPathComponent("work")
    let path = RawPath(work.path)
    spelled = SpelledPath(trial.spelling, in: trial.spelling.isBare ? "" : "place", work: path)
    try Self.makeWork(path, from: templates)
    let place = path / "place"
    try place.makeFolder()
    let disk = trial.place == .full ? try PathMount(kilobyteCount: 1024, at: place) : nil
    try Self.lay(trial, spelled, in: path, from: templates)
    holder =
      trial.place.isHeld
      ? try await Self.hold(path / "place/place.x", in: work, from: templates) : nil
    answer = try await Self.answer(to: trial, in: work, from: templates)
    if spelled.hasHardLink {
      try (path / spelled.file).makeHardLink(to: place / "place.x")
    }
    if trial.place.user != nil { try Self.handOver(place, trial.place) }
    if disk != nil { try Self.fill(place) }
    mount = trial.place.isReadOnlyMount ? try PathMount(readOnly: place) : disk
  }

  deinit {
    if let mount { withExtendedLifetime(mount) {} }
    try? FileManager.default.removeItem(at: root)
  }

  var tree: FileTree { get throws { try FileTree(of: RawPath(work.path)) } }

  private static func makeWork(_ work: RawPath, from templates: PathTemplates) throws {
    try work.makeFolder()
    try work.must("chmod") { chmod($0, 0o777) }
    for name in documents {
      let name = RawPath(name)
      try PathThing.fitting.lay(
        at: work / name, fitting: RawPath(templates.folder.path) / name, from: templates)
    }
    try PathThing.store.lay(at: work / "own.db", fitting: nil, from: templates)
    try (work / "own.db").must("chmod") { chmod($0, 0o666) }
    try PathThing.foreign.lay(at: work / "bystander.db", fitting: nil, from: templates)
  }

  private static func lay(
    _ trial: PathCase, _ spelled: SpelledPath, in work: RawPath, from templates: PathTemplates
  ) throws {
    for folder in spelled.folders { try (work / folder).makeFolder() }
    for (link, target) in spelled.links { try (work / link).makeLink(to: target) }
    let file = spelled.hasHardLink ? work / "place/place.x" : work / spelled.file
    try trial.thing.lay(
      at: file, fitting: trial.fitting.map { templates.path($0) }, from: templates)
    for temptation in spelled.temptations {
      try PathThing.foreign.lay(at: work / temptation, fitting: nil, from: templates)
    }
  }

  /// Lets another process hold a store open; only the write-ahead log has its newest version.
  private static func hold(
    _ path: RawPath, in work: URL, from templates: PathTemplates
  ) async throws -> SpawnedProgram {
    let holder = try SpawnedProgram(
      [Array("hold".utf8), path.bytes], of: "CampaignWorker", in: work)
    try await eventually("the store is held") { !holder.outputSoFar.isEmpty }
    try await PathTemplates.succeed(
      "commit", "parks", templates.path("held.json").description, "--at", "2026-02-01", "--store",
      path.description, in: work)
    return holder
  }

  private static func answer(
    to trial: PathCase, in work: URL, from templates: PathTemplates
  ) async throws -> [UInt8]? {
    guard trial.isOfStore, trial.argument.role == .store(.reads), trial.argument.isRepeatable
    else { return nil }
    if !trial.place.isHeld { return templates.answer(to: trial.argument) }
    return try await PathTemplates.answer(to: trial.argument, store: "place/place.x", in: work)
  }

  /// Gives a folder and all files in it to the owner.
  private static func handOver(_ folder: RawPath, _ place: PathPlace) throws {
    for name in try folder.names() {
      try own(folder / name)
      try (folder / name).must("chmod") { chmod($0, place.permissions.file) }
    }
    try own(folder)
    try folder.must("chmod") { chmod($0, place.permissions.folder) }
  }

  private static func own(_ path: RawPath) throws {
    let number = PathPlace.owner.number
    try path.must("chown") { lchown($0, number, number) }
  }

  /// Fills the remaining room.
  private static func fill(_ folder: RawPath) throws {
    let file = (folder / "filling").call { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    guard file >= 0 else { throw SystemFailure(what: "open", code: errno) }
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 512)
    while write(file, block, block.count) > 0 {}
  }
}

extension PathCase {
  /// The name of the template that the verb needs at the path.
  var fitting: String? {
    switch argument.role {
    case .store: "store.db"
    case .input(let form): form.rawValue
    case .output: nil
    case .repository: "repository"
    }
  }
}

extension PathWorld {
  /// The words and the environment of a command line for the path.
  func command(
    _ words: [FileArgument.Word], namesStore: Bool = true
  ) -> (words: [[UInt8]], environment: [String: [UInt8]]) {
    var bytes = words.map { word in
      switch word {
      case .text(let text): Array(text.utf8)
      case .path: spelled.given.bytes
      }
    }
    guard trial.argument.isStore, namesStore, !words.contains(where: \.isPath) else {
      return (bytes, [:])
    }
    if trial.argument.usesEnvironment { return (bytes, ["LISTSYNC_STORE": spelled.given.bytes]) }
    bytes += [Array("--store".utf8), spelled.given.bytes]
    return (bytes, [:])
  }

  /// The command line as a person writes it.
  var commandLine: String {
    let (words, environment) = command(trial.argument.words)
    let variables = environment.map { "\($0.key)='\(RawPath($0.value))' " }.joined()
    let user = trial.place.user.map { "as user \($0.number): " } ?? ""
    let quoted = words.map { word in
      let text = RawPath(word).description
      return text.allSatisfy { $0.isLetter || $0.isNumber || "-./_".contains($0) } && !text.isEmpty
        ? text : "'\(text)'"
    }
    return user + variables + "listsync " + quoted.joined(separator: " ")
  }
}
