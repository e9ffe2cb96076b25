import Foundation
import NIOCore

/// The system's limit of open files and sockets.
enum OpenFiles {
  /// The files of the store and its readers, of the event loops (three each), and the standard
  /// descriptors, with some to spare for a WAL checkpoint and for Dispatch on Linux, which reads
  /// /proc under load and ends a process that has no descriptor left.
  static let ownCount = 34 + 3 * System.coreCount

  /// Raises the limit as far as the system allows: each waiting client needs a socket.
  ///
  /// - Returns: the limit; nil if there is none, or it is unknown.
  static func raiseLimit(to wanted: Int) -> Int? {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return nil }
    if limit.rlim_cur < rlim_t(wanted), limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(exactly: limit.rlim_cur)
  }

  /// How many connections fit beside the server's own files.
  ///
  /// - Throws: `StartError.tooFewOpenFiles` if none fits.
  static func connectionCount(wanted: Int, limit: Int?) throws(StartError) -> Int {
    guard let limit, limit - ownCount < wanted else { return wanted }
    guard limit > ownCount else {
      throw .tooFewOpenFiles(limit: limit, needed: ownCount + 1)
    }
    return limit - ownCount
  }
}
