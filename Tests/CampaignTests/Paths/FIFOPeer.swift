import Foundation

/// The process at the other end of a named pipe: it gives bytes to a reader, or takes all that a
/// writer gives.
enum FIFOPeer {
  enum Deed: Sendable {
    case gives([UInt8])
    case takes
  }

  /// Acts until it is cancelled, which the caller does when the program has ended.
  static func act(_ deed: Deed, at path: RawPath) async {
    switch deed {
    case .gives(let bytes): await give(bytes, at: path)
    case .takes: await take(at: path)
    }
  }

  private static func give(_ bytes: [UInt8], at path: RawPath) async {
    while !Task.isCancelled {
      // Refused until somebody reads.
      let file = path.call { open($0, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
      if file >= 0 {
        // With a reader of its own, no signal tells that the program has closed its end.
        let reader = path.call { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        // The documents are shorter than a pipe is.
        _ = write(file, bytes, bytes.count)
        close(reader)
        close(file)
        return await waitForNextReader()
      }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Gives nothing more: a program may open its input once.
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
