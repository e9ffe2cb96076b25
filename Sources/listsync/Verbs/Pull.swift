import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import SyncClient

struct Pull: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Keeps a local copy of a list that a server has, and shows what changed.",
    discussion: """
      The copy is one file, LIST.replica unless --copy names another: run again, it asks for what \
      changed since, checks the result by its checksum, and starts over by itself where the server \
      no longer knows the old state. -o writes the list itself, as show prints it; with '-o -' it \
      is the answer in place of the changes.

      A token that the server wants is given in $LISTSYNC_TOKEN, never as an argument.

      EXAMPLE
        listsync pull parks https://lists.example
        listsync pull parks https://lists.example -o parks.json
        listsync pull parks http://localhost:8080 --watch --json
      """)

  @Argument(help: .list) var list: String
  @Argument(help: ArgumentHelp("The server's address: http:// or https://", valueName: "url"))
  var url: String
  @Option(
    help: ArgumentHelp("The file of the copy (default: ./LIST.replica).", valueName: "file"))
  var copy: String?
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Writes the list as JSON to a file, or to standard output for -.", valueName: "file"))
  var output: String?
  @Flag(help: "Goes on, and shows changes as they come, until it is interrupted.") var watch = false
  @OptionGroup var colour: ColourOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    if output == "-", watch || json {
      throw ValidationError("'-o -' prints the list alone: leave --watch and --json out.")
    }
  }

  func run() async throws {
    let name = try ListName(argument: list)
    let session = try session(of: name, at: ServerAddress(url))
    let report = PullReport(
      list: name, output: output, layout: json ? (watch ? .line : .lines) : nil,
      palette: colour.palette)
    let isNew = !FileManager.default.fileExists(atPath: path(for: name))
    let saved = try await session.start()
    let notes = Task { await PullNotes.write(session.states) }
    defer { notes.cancel() }
    do {
      if watch {
        try await follow(session, from: saved, report)
      } else {
        try await catchUp(session, from: saved, report)
      }
    } catch {
      // A copy of nothing is not left behind.
      if isNew, await session.copy == .empty {
        try? FileManager.default.removeItem(atPath: path(for: name))
      }
      throw error
    }
  }

  private func path(for name: ListName) -> String { copy ?? "\(name).replica" }

  private func session(of name: ListName, at address: ServerAddress) throws -> ReplicaSession {
    let limits = try Settings.limits()
    let transport = URLSessionTransport(
      address,
      options: URLSessionTransport.Options(
        token: Settings.token(), byteLimit: limits[.commitBytes]))
    let file = ReplicaFile(
      path: path(for: name), source: ReplicaSource(server: address.text, list: name))
    // Who waits for the answer is told soon; who watches goes on until the network is back.
    let retry = RetryRule(tryLimit: watch ? nil : 4)
    return ReplicaSession(
      ReplicaMachine.Options(list: name, watches: watch, retry: retry), transport: transport,
      storage: file, limits: limits)
  }

  /// Shows all that is new as one change, be it of several answers.
  private func catchUp(
    _ session: ReplicaSession, from saved: ListCopy, _ report: PullReport
  ) async throws {
    // What ended it is thrown again behind the last update.
    try? await session.settle()
    var isNew = false
    for try await update in session.updates(after: saved) {
      try report.show(update)
      isNew = true
    }
    if !isNew { try report.showNothingNew(saved) }
  }

  private func follow(
    _ session: ReplicaSession, from saved: ListCopy, _ report: PullReport
  ) async throws {
    let interruption = Interruption { Task { await session.stop() } }
    defer { interruption.forget() }
    if saved != .empty { try report.write(saved.snapshot.items) }
    for try await update in session.updates(after: saved) { try report.show(update) }
    throw ExitCode(Interruption.exitCode)
  }
}

extension Settings {
  /// The token for a server; nil where none is set. Line ends around it, as a file gives them, do
  /// not count.
  static func token() -> String? {
    let text = ProcessInfo.processInfo.environment["LISTSYNC_TOKEN"]?
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text?.isEmpty == true ? nil : text
  }
}
