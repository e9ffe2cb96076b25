import ArgumentParser
import Foundation
import ListDocuments
import ListModel
import LocalFiles
import SyncClient
import SyncClientHTTP
import Terminal

/// `listsync pull`, a separate program, since only it needs a network library.
@main
struct ListSyncPull: AsyncParsableCommand {
  static let configuration = PullOptions.configuration(commandName: "listsync pull")

  @OptionGroup var options: PullOptions

  static func main() async {
    StandardStreams.secure()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let isJSON = CommandLine.arguments.contains("--json")
      Foundation.exit(Failure.report(error, as: Failure(error), of: Self.self, isJSON: isJSON))
    }
  }

  func run() async throws {
    let name = try ListName(argument: options.list)
    let address = try ServerAddress(options.url)
    let copyPath = options.copy ?? "\(name).replica"
    let output = try options.output.map { try ListOutput($0, besideCopyAt: copyPath) }
    let report = PullReport(
      list: name, output: output, layout: options.json ? (options.watch ? .line : .lines) : nil,
      palette: options.colour.palette)
    let file = ReplicaFile(path: copyPath, source: ReplicaSource(server: address.text, list: name))
    let saved = try await file.load()
    // The session stores nothing: the file is saved after the answer is printed.
    let machine = try machineOptions(for: name)
    let pull = Pull(
      session: try session(machine, at: address, from: saved), file: file, saved: saved,
      isTrusted: machine.trusts(saved), report: report)
    do {
      if options.watch {
        try await pull.follow()
      } else {
        try await pull.catchUp(withinSeconds: options.timeout)
      }
    } catch ReplicaError.untrusted(let refusal) {
      throw RefusedHead(refusal, besideCopyAt: copyPath)
    }
  }

  private func machineOptions(for name: ListName) throws -> ReplicaMachine.Options {
    var machine = ReplicaMachine.Options(list: name)
    (machine.watches, machine.proves) = (options.watch, options.prove)
    machine.key = try options.signer.key()
    // A pull fails soon without a network; a watch waits until the network is back.
    if !options.watch {
      machine.retry = RetryRule(
        highestRetryAfterSeconds: Double(options.timeout), tryLimit: Pull.highestTryCount)
    }
    return machine
  }

  private func session(
    _ machine: ReplicaMachine.Options, at address: ServerAddress, from saved: ListCopy
  ) throws -> ReplicaSession {
    let limits = try Settings.limits()
    var exchange = TransportOptions(token: Settings.token())
    exchange.totalSeconds = Double(options.timeout)
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
