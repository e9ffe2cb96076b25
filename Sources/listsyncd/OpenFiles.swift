#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How many files and sockets the process may hold open.
enum OpenFiles {
  /// Takes as many as the system allows: a thousand waiting clients are a thousand sockets.
  static func raiseLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }
}
