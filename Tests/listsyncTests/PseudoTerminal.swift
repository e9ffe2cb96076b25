import Foundation

/// A terminal without a screen, whose output can be read.
final class PseudoTerminal {
  /// The end that programs write to.
  let path: String
  private var master: Int32 = -1
  // Written bytes are kept while this end is open.
  private var slave: Int32 = -1

  struct Unavailable: Error {}

  init() throws {
    guard openpty(&master, &slave, nil, nil, nil) == 0, let name = ttyname(slave),
      fcntl(master, F_SETFL, O_NONBLOCK) == 0
    else { throw Unavailable() }
    path = String(cString: name)
  }

  deinit {
    close(slave)
    close(master)
  }

  /// Sets the width that programs see; false when the system refuses.
  func resize(columns: UInt16) -> Bool {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    return ioctl(master, UInt(TIOCSWINSZ), &size) == 0
  }

  /// Types a text, which programs read.
  func type(_ text: String) throws {
    guard write(master, text, text.utf8.count) == text.utf8.count else { throw Unavailable() }
  }

  /// The text that was written since the last call.
  func text() -> String {
    var bytes: [UInt8] = []
    var buffer: [UInt8] = Array(repeating: 0, count: 4096)
    while true {
      let count = read(master, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }
}
