#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Standard input, output and error.
enum StandardDescriptors {
  /// Opens closed ones on `/dev/null`, and turns the signal of a write to a closed pipe into an
  /// error.
  ///
  /// A new file or socket gets the lowest free number. Without this, standard output could be
  /// written into the store, or to a client.
  static func prepare() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
    signal(SIGPIPE, SIG_IGN)
  }
}
