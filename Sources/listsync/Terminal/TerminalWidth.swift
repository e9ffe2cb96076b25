import Foundation

/// How many columns the answer may take.
enum TerminalWidth {
  /// That of the terminal on standard output; 80 where there is none, or it does not tell.
  static var columns: Int {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0
    else { return 80 }
    return Int(size.ws_col)
  }
}
