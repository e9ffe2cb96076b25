import Foundation

/// The process at the other end of a named pipe: it writes bytes for a reader, or reads all bytes
/// of a writer.
enum FIFOPeer {
  enum Deed: Sendable {
    case gives([UInt8])
    case takes
  }

  /// Acts until the caller cancels it after the end of the program.
  static func act(_ deed: Deed, at path: RawPath) async {
    switch deed {
    case .gives(let bytes): await give(bytes, at: path)
    case .takes: await take(at: path)
    }
  }

  private static func give(_ bytes: [UInt8], at path: RawPath) async {
    while !Task.isCancelled {
      // Opening fails until a reader has the pipe open.
      let file = path.call { open($0, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
      if file >= 0 {
        // With a reader of its own, this process gets no signal when the program closes its end.
        let reader = path.call { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        // The documents are shorter than a pipe's buffer.
        _ = write(file, bytes, bytes.count)
        close(reader)
        close(file)
        return await waitForNextReader()
      }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Gives no more bytes: a program may open its input only once.
  private static func waitForNextReader() async {
    while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
  }

  private static func take(at path: RawPath) async {
    let file = path.call { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard file >= 0 else { return }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !Task.isCancelled {
      if read(file, &buffer, buffer.count) <= 0 { try? await Task.sleep(for: .milliseconds(1)) }
    }
  }
}
