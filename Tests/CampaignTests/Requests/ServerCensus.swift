import Foundation
import TestSupport

/// The resources of a server's process, as the system reports them.
struct ServerCensus {
  let openFileCount: Int
  /// The sockets among the open files: the listening one, and one for each connection.
  let socketCount: Int
  let residentByteCount: Int
  /// Processor time used so far.
  let processorSeconds: Double

  /// Nil if the system gives no figures.
  init?(of server: ServerProgram) {
    let folder = "/proc/\(server.processID)"
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd"),
      let memory = try? String(contentsOfFile: "\(folder)/statm", encoding: .utf8),
      let facts = try? String(contentsOfFile: "\(folder)/stat", encoding: .utf8)
    else { return nil }
    openFileCount = files.count
    // A file that was closed meanwhile has no destination.
    socketCount = files.count { file in
      let destination = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "\(folder)/fd/\(file)")
      return destination?.hasPrefix("socket:") == true
    }
    let pages = memory.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    residentByteCount = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    // The name in brackets may contain blanks.
    let fields = facts.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
    processorSeconds = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
