import Foundation

/// Standard input, output and error of the process.
package enum StandardStreams {
  /// Makes writes to standard output reach it or fail. Call it before a file or socket is opened.
  ///
  /// A closed stream gets `/dev/null`, read-only. Otherwise the first opened file or socket would
  /// get its number, and the output. A closed pipe becomes an error instead of a signal.
  package static func secure() {
    signal(SIGPIPE, SIG_IGN)
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      if (0...2).contains(descriptor) { continue }
      close(descriptor)
      return
    }
  }
}
