import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import LocalFiles
import SyncClient
import SyncClientHTTP

/// Keeps a copy of a list of a server or a publication.
struct Pull: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Keeps a local copy of a list, and shows what changed.",
    discussion: """
      The copy is one file: LIST.replica, or the one that --copy names. The next pull asks for \
      the changes since then and checks the result by its root. The address is that of a \
      server, or of the folder that 'listsync publish' has written. Where the server no longer \
      knows the copy's version, the pull starts over by itself. -o writes the list itself, in \
      the form of 'listsync show'. With '-o -' the list is the answer, instead of the changes.

      The copy is saved after the answer is written. If writing fails, the next pull gives the \
      same changes again.

      With --key, the list must be signed: a head of another key, of another list, or older than \
      the copy is refused, whoever serves it.

      Give the server's token in $LISTSYNC_TOKEN, never as an argument.

      EXAMPLE
        listsync pull parks https://lists.example
        listsync pull parks https://cdn.example/lists -o parks.json
        listsync pull parks http://localhost:8080 --watch --json
        listsync pull parks https://cdn.example/lists --key lists.example.pub
      """)

  @Argument(help: .list) var list: String
  @Argument(
    help: ArgumentHelp(
      "The address of the server or the publication, http:// or https://.", valueName: "url"))
  var url: String
  @Option(help: .file("The file of the copy (default: ./LIST.replica)."), completion: .file())
  var copy: String?
  @Option(
    name: [.customShort("o"), .long],
    help: .file("Write the list as JSON to this file, or to standard output for -."),
    completion: .file())
  var output: String?
  @Flag(help: "Show changes as they come, until interrupted.") var watch = false
  @Flag(
    help: """
      Refuse a list whose history does not continue that of the copy: the server has to show the \
      headers of all versions between.
      """)
  var prove = false
  @OptionGroup var signer: KeyOptions
  @Option(
    help: ArgumentHelp(
      "Time limit of the pull, or with --watch of each answer.", valueName: "seconds"))
  var timeout = 600
  @OptionGroup var colour: ColourOptions
  @Flag(help: .json) var json = false

  func validate() throws {
    if list.contains("://") {
      // Not quoted: an address may hold a password.
      throw ValidationError("write the list's name first, then the address.")
    }
    if copy == "" { throw ValidationError("--copy: the file's name is empty.") }
    if output == "" { throw ValidationError("-o: the file's name is empty.") }
    if output == "-", watch || json {
      throw ValidationError("'-o -' prints the list alone: leave out --watch and --json.")
    }
    guard (1...Self.longestTimeoutSeconds).contains(timeout) else {
      throw ValidationError("--timeout: write 1 to \(Self.longestTimeoutSeconds) seconds.")
    }
  }

  /// One year.
  private static let longestTimeoutSeconds = 31_536_000

  func run() async throws {
    StandardStreams.secure()
    let name = try ListName(argument: list)
    let address = try ServerAddress(url)
    let copyPath = copy ?? "\(name).replica"
    let output = try output.map { try ListOutput($0, besideCopyAt: copyPath) }
    let report = PullReport(
      list: name, output: output, layout: json ? (watch ? .line : .lines) : nil,
      palette: colour.palette)
    let file = ReplicaFile(path: copyPath, source: ReplicaSource(server: address.text, list: name))
    let saved = try await file.load()
    // The session stores nothing: the file is saved after the answer is printed.
    let machine = try machineOptions(for: name)
    let pull = PullRun(
      session: try session(machine, at: address, from: saved), file: file, saved: saved,
      isTrusted: machine.trusts(saved), report: report)
    do {
      if watch {
        try await pull.follow()
      } else {
        try await pull.catchUp(withinSeconds: timeout)
      }
    } catch ReplicaError.untrusted(let refusal) {
      throw RefusedHead(refusal, besideCopyAt: copyPath)
    }
  }

  private func machineOptions(for name: ListName) throws -> ReplicaMachine.Options {
    var machine = ReplicaMachine.Options(list: name)
    (machine.watches, machine.proves) = (watch, prove)
    machine.key = try signer.key()
    // A pull fails soon without a network; a watch waits until the network is back.
    if !watch {
      machine.retry = RetryRule(
        highestRetryAfterSeconds: Double(timeout), tryLimit: PullRun.highestTryCount)
    }
    return machine
  }

  private func session(
    _ machine: ReplicaMachine.Options, at address: ServerAddress, from saved: ListCopy
  ) throws -> ReplicaSession {
    let limits = try Settings.limits()
    var exchange = TransportOptions(token: Settings.token())
    exchange.totalSeconds = Double(timeout)
    // Without the variable, the transport keeps its own limit, which is lower.
    if Settings.environment[Limit.commitBytes.variable] != nil {
      exchange.byteLimit = limits[.commitBytes]
    }
    return ReplicaSession(
      machine, origin: AddressOrigin(HTTPTransport(address, options: exchange)),
      storage: ReplicaMemory(saved), limits: limits)
  }
}

extension Settings {
  /// The token for a server; nil if none is set. White space around it is ignored.
  fileprivate static func token() -> String? {
    let text = ProcessInfo.processInfo.environment["LISTSYNC_TOKEN"]?
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text?.isEmpty == true ? nil : text
  }
}
