import Foundation
import LocalFiles
import TestSupport

/// A server of the tests: a cluster in a folder of its own, on a socket, unprivileged. It ends with
/// this process.
package final class PostgresServer: Sendable {
  package let folder: String
  /// A part of the socket's name.
  package static let port = 5432
  /// What stands before a command that the server's user runs.
  package let asServerUser: [String]
  /// A library that the server loads when it starts; nil for none.
  private let library: String?

  /// The server of this process, or the coordinator of its cluster; or why there is none.
  package static let shared = Result {
    CitusCluster.isUsed ? try CitusCluster.shared.get().coordinator : try PostgresServer("shared")
  }

  /// Thrown where no server can be started.
  package struct Unavailable: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - name: part of the folder's name; one for each server of this process.
  ///   - library: one that the server loads when it starts; nil for none.
  package convenience init(_ name: String, loading library: String? = nil) throws {
    try self.init(folderFor: name, loading: library)
    try run(
      "initdb", "-U", "store", "-A", "trust", "--no-sync", "--locale=C", "-E", "UTF8")
    let rules = """
      local all locked scram-sha-256
      local all all trust
      local replication all trust

      """
    try Data(rules.utf8).write(to: URL(fileURLWithPath: "\(folder)/data/pg_hba.conf"))
    try start()
  }

  /// A synchronous standby of another server.
  package convenience init(_ name: String, of primary: PostgresServer) throws {
    try self.init(folderFor: name, loading: primary.library)
    try follow(primary)
  }

  private init(folderFor name: String, loading library: String? = nil) throws {
    self.library = library
    guard Self.programs != nil else {
      throw Unavailable(description: "PostgreSQL's programs are not on this machine")
    }
    // The path of a socket has less than 108 bytes.
    folder = "/tmp/listsync-postgresql-\(getpid())-\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let isRoot = getuid() == 0
    if isRoot { try Self.run(["chown", "postgres:postgres", folder]) }
    asServerUser =
      isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : []
    // The server outlives no process of the tests, which ends without running deinitialisers.
    let watch = """
      while kill -0 \(getpid()) 2>/dev/null; do sleep 1; done
      \((asServerUser + control).joined(separator: " ")) -m immediate stop
      rm -rf \(folder)
      """
    try Self.process(["setsid", "sh", "-c", watch]).start()
  }

  private var control: [String] { ["\(Self.programs ?? "")/pg_ctl", "-w", "-D", "\(folder)/data"] }

  /// Runs one of the server's programs on its data.
  private func run(_ program: String, _ arguments: String...) throws {
    try Self.run(
      asServerUser + ["\(Self.programs ?? "")/\(program)", "-D", "\(folder)/data"] + arguments)
  }

  package func start() throws {
    let settings = """
      -c listen_addresses='' -c unix_socket_directories=\(folder) -c fsync=off \
      -c max_connections=500 -c deadlock_timeout=100ms \
      -c shared_preload_libraries=\(library ?? "''") \
      \(library?.hasPrefix("citus") == true ? CitusCluster.settings(folder) : "")
      """
    // Foundation waits until the last process has ended that a process started: not for the server.
    try Self.process(
      asServerUser + control + ["-o", settings, "-l", "\(folder)/log", "start"]
    ).start()
    for _ in 0..<300 {
      if (try? sql("SELECT")) != nil { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
    throw Unavailable(description: "the server of \(folder) did not start: \(log.suffix(1000))")
  }

  /// Ends the server as a crash does.
  package func crash() throws { try run("pg_ctl", "-w", "-m", "immediate", "stop") }

  /// Kills all processes of the server in the middle of what they do.
  package func kill() throws {
    let file = URL(fileURLWithPath: "\(folder)/data/postmaster.pid")
    let text = try String(contentsOf: file, encoding: .utf8)
    let process = String(text.prefix { $0 != "\n" })
    // The first process must not notice the end of the others. It may remain as a zombie, which
    // would keep the server from starting again.
    let script = """
      kill -STOP \(process); pkill -KILL -P \(process); kill -KILL \(process)
      rm -f \(file.path) \(folder)/.s.PGSQL.*
      """
    try Self.run(["sh", "-c", script])
  }

  /// Starts the server anew as a synchronous standby of another one.
  package func follow(_ primary: PostgresServer) throws {
    try? crash()
    try Self.run(["rm", "-rf", "\(folder)/data"])
    try run(
      "pg_basebackup", "-h", primary.folder, "-U", "store", "-R", "-X", "stream", "-c", "fast",
      "--no-sync")
    try start()
    try primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try primary.sql("SELECT pg_reload_conf()")
    for _ in 0..<300 {
      let states = try primary.sql("SELECT sync_state FROM pg_stat_replication")
      if states == ["sync"] { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    throw Unavailable(description: "the standby in \(folder) does not follow")
  }

  /// Makes a standby the primary, which waits for no other standby yet.
  package func promote() throws {
    try run("pg_ctl", "-w", "promote")
    try sql("ALTER SYSTEM RESET synchronous_standby_names")
    try sql("SELECT pg_reload_conf()")
  }

  /// An address as users write it.
  package func address(
    user: String = "store", database: String = "postgres", port: Int = PostgresServer.port,
    _ parameters: String = ""
  ) -> String {
    "postgresql://\(user)@/\(database)?host=\(folder)&port=\(port)\(parameters)"
  }

  /// Runs statements as the owner of everything.
  ///
  /// - Returns: the rows, one a line, columns separated by `|`.
  @discardableResult
  package func sql(_ text: String, database: String = "postgres") throws -> [String] {
    // Debian's psql in the path is a script that looks for this one.
    try Self.run([
      "\(Self.programs ?? "")/psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h",
      folder, "-U", "store", "-d", database, "-c", text,
    ]).split(separator: "\n").map(String.init)
  }

  /// Whether the server can load an extension.
  package static func has(extension name: String) -> Bool {
    guard let programs else { return false }
    let version = URL(fileURLWithPath: programs).deletingLastPathComponent().lastPathComponent
    return [
      "/usr/share/postgresql/\(version)", "\(programs)/../share",
      "\(programs)/../share/postgresql",
    ].contains { FileManager.default.fileExists(atPath: "\($0)/extension/\(name).control") }
  }

  /// A name that no other test uses.
  package static func name(_ purpose: String) -> String {
    "\(purpose) \(UInt64.random(in: 0 ... .max))"
  }

  /// The folder of the newest programs, as Debian has them, or in the path.
  private static let programs: String? = {
    let debian = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
    let newest = versions.compactMap { Int($0) }.max().map { "\(debian)/\($0)/bin" }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ([newest].compactMap(\.self) + path.split(separator: ":").map(String.init)).first {
      FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
    }
  }()

  /// Whether tests can start a server. `make test-postgres` demands it.
  package static let isHere =
    programs != nil || ProcessInfo.processInfo.environment["LISTSYNC_TEST_POSTGRES"] != nil

  package static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// - Returns: the text on standard output.
  @discardableResult
  package static func run(_ arguments: [String]) throws -> String {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["out", "err"].map { folder.appendingPathComponent($0) }
    for file in files { try Data().write(to: file) }
    let process = process(arguments)
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.start()
    process.waitUntilExit()
    let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
    guard process.terminationStatus == 0 else {
      throw Unavailable(description: "\(arguments.joined(separator: " ")): \(texts.joined())")
    }
    return texts[0]
  }
}
