import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server on this machine that answers every connection with the bytes that it is told to, right
/// or wrong; for what a client must bear.
final class LoopbackServer: Sendable {
  /// What to do with a request, its head given as text.
  enum Reply: Sendable {
    /// Send this and close.
    case send([UInt8])
    /// Send this, and leave the connection open until the client closes it.
    case hang(after: [UInt8])
  }

  let port: UInt16
  private let socket: Int32
  private let heads = Recorder()

  var text: String { "http://127.0.0.1:\(port)" }

  /// The heads of the requests so far.
  var requests: [String] { heads.values }

  /// How many connections the client closed while they hung.
  var hungUpCount: Int { heads.hungUpCount }

  init(_ reply: @escaping @Sendable (_ head: String) -> Reply) throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listener = Foundation.socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard listener >= 0, isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    (socket, port) = (listener, UInt16(bigEndian: address.sin_port))
    let heads = heads
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          // Closed here and nowhere else: the number may be another socket's as soon as it is.
          close(listener)
          return
        }
        Thread.detachNewThread { Self.serve(connection, heads, reply) }
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  private static func serve(
    _ connection: Int32, _ heads: Recorder, _ reply: @Sendable (String) -> Reply
  ) {
    defer { close(connection) }
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      head += buffer.prefix(count)
    }
    let text = String(decoding: head, as: UTF8.self)
    heads.add(text)
    switch reply(text) {
    case .send(let bytes): write(bytes, to: connection)
    case .hang(let bytes):
      write(bytes, to: connection)
      while read(connection, &buffer, buffer.count) > 0 {}
      heads.hangUp()
    }
  }

  private static func write(_ bytes: [UInt8], to connection: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
      #else
        let flags: Int32 = 0
      #endif
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Unchecked because its values are touched under the lock alone.
  private final class Recorder: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [String] = []
    private var hangUps = 0

    var values: [String] { lock.withLock { all } }
    var hungUpCount: Int { lock.withLock { hangUps } }

    func add(_ text: String) { lock.withLock { all.append(text) } }

    func hangUp() { lock.withLock { hangUps += 1 } }
  }
}

extension LoopbackServer.Reply {
  static func response(
    _ status: String, headers: [String: String] = [:], body: [UInt8] = []
  ) -> LoopbackServer.Reply {
    let lines =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.count)", "Connection: close"]
      + headers.map { "\($0.key): \($0.value)" }
    return .send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
  }
}
