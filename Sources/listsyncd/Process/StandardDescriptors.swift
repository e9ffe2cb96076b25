#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Standard input, output and error.
enum StandardDescriptors {
  /// Opens those that were closed, on nothing; and makes a write to a pipe that nobody reads an
  /// error instead of the end of the program.
  ///
  /// The system gives the next file or socket that is opened the lowest free number: without this,
  /// what is written to standard output could end up in the store, or with a client.
  static func prepare() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
    signal(SIGPIPE, SIG_IGN)
  }
}
