import Foundation

/// The terminal on standard output, as it was when the program started.
package enum Screen {
  package static let isTerminal = isatty(STDOUT_FILENO) == 1
  package static let size = size(of: STDOUT_FILENO)

  /// 80 columns and 24 rows if a descriptor is no terminal, or its size is unknown.
  package static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(max(size.ws_row, 1)))
  }
}
