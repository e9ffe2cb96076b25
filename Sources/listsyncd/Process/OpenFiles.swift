import NIOCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How many files and sockets the process may hold open.
enum OpenFiles {
  /// What the store takes with its readers, the event loops (three each) and the standard
  /// descriptors; with some to spare for a WAL checkpoint.
  static let ownCount = 34 + 3 * System.coreCount

  /// Raises the limit as far as the system allows: a thousand waiting clients are a thousand
  /// sockets.
  ///
  /// - Returns: the limit; nil where there is none, or it is not known.
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

  /// How many connections fit beside what the server itself needs.
  ///
  /// - Throws: `TooFewOpenFiles` where none does.
  static func connectionCount(
    wanted: Int, limit: Int?
  ) throws(TooFewOpenFiles) -> Int {
    guard let limit, limit - ownCount < wanted else { return wanted }
    guard limit > ownCount else { throw TooFewOpenFiles(limit: limit, needed: ownCount + 1) }
    return limit - ownCount
  }
}

/// A limit of open files under which not one client could be served.
struct TooFewOpenFiles: Error {
  let limit: Int
  let needed: Int
}
