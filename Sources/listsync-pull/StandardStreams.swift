import Foundation

/// Standard input, output and error of the process.
enum StandardStreams {
  /// Makes sure that what is written to standard output goes there or fails.
  ///
  /// A stream that is closed gets `/dev/null`, to be read alone: else the first file or socket
  /// would take its number, and the answer would go to it. A reader that has gone away is an error,
  /// and does not end the process without a word.
  static func secure() {
    signal(SIGPIPE, SIG_IGN)
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      if (0...2).contains(descriptor) { continue }
      close(descriptor)
      return
    }
  }
}
