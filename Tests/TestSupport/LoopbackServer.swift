import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server on this machine that answers every request with given bytes, valid or not, at once or
/// slowly. Tests use it to check that clients withstand bad servers.
public final class LoopbackServer: Sendable {
  public enum Step: Sendable {
    case send([UInt8])
    case pause(seconds: Double)
    /// Sends the same bytes until the client disconnects.
    case sendForever([UInt8])
    /// Waits until the client disconnects.
    case awaitEnd
    /// Reads the next request of the same connection; without this step the server closes it.
    case keepOpen
  }

  public let port: UInt16
  private let socket: Int32
  private let record = Record()

  public var text: String { "http://127.0.0.1:\(port)" }

  /// The heads of the requests so far, without those for the head of a publication.
  public var requests: [String] { record.heads }

  public var connectionCount: Int { record.connectionCount }

  /// The number of connections that the client closed while the server waited for that.
  public var hungUpCount: Int { record.hungUpCount }

  /// - Parameter reply: the steps for a request, given the text of its head.
  public init(_ reply: @escaping @Sendable (_ head: String) -> [Step]) throws {
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
    let record = record
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          // Closed only here: afterwards another socket may get the number.
          close(listener)
          return
        }
        record.connect()
        Thread.detachNewThread {
          Self.serve(connection, record, reply)
          close(connection)
        }
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  private static func serve(
    _ connection: Int32, _ record: Record, _ reply: @Sendable (String) -> [Step]
  ) {
    var isOpen = true
    while isOpen, let head = readHead(connection) {
      // It has no publication.
      if head.hasPrefix("GET /"), head.contains("/head.json HTTP/1.1\r\n") {
        guard write(noFile, to: connection) else { return }
        continue
      }
      record.add(head)
      isOpen = false
      for step in reply(head) {
        switch step {
        case .send(let bytes): guard write(bytes, to: connection) else { return }
        case .pause(let seconds): Thread.sleep(forTimeInterval: seconds)
        case .sendForever(let bytes): while write(bytes, to: connection) {}
        case .awaitEnd:
          var buffer = [UInt8](repeating: 0, count: 4096)
          while read(connection, &buffer, buffer.count) > 0 {}
          record.hangUp()
        case .keepOpen: isOpen = true
        }
      }
    }
  }

  private static let noFile = Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8)

  /// Nil when the client has disconnected.
  private static func readHead(_ connection: Int32) -> String? {
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return nil }
      head += buffer.prefix(count)
    }
    return String(decoding: head, as: UTF8.self)
  }

  /// False when the client has disconnected.
  private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
      #else
        let flags: Int32 = 0
      #endif
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Unchecked because its values are used only under the lock.
  private final class Record: @unchecked Sendable {
    private let lock = NSLock()
    private var allHeads: [String] = []
    private var hangUps = 0
    private var connections = 0

    var heads: [String] { lock.withLock { allHeads } }
    var hungUpCount: Int { lock.withLock { hangUps } }
    var connectionCount: Int { lock.withLock { connections } }

    func add(_ text: String) { lock.withLock { allHeads.append(text) } }

    func connect() { lock.withLock { connections += 1 } }

    func hangUp() { lock.withLock { hangUps += 1 } }
  }
}

extension [LoopbackServer.Step] {
  public static func response(
    _ status: String, headers: [String: String] = [:], body: [UInt8] = []
  ) -> [LoopbackServer.Step] {
    let lines =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.count)", "Connection: close"]
      + headers.map { "\($0.key): \($0.value)" }
    return [.send([UInt8]((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)]
  }

  /// The bytes of a text, and the end.
  public static func text(_ text: String) -> [LoopbackServer.Step] { [.send([UInt8](text.utf8))] }

  /// The bytes of a text, and then nothing for ever.
  public static func hang(after text: String = "") -> [LoopbackServer.Step] {
    [.send([UInt8](text.utf8)), .awaitEnd]
  }
}
