import Foundation
import PostgresTestSupport
import Synchronization

/// A socket in front of a server's, which disturbs one connection at a planned message.
final class CuttingProxy: Sendable {
  enum Direction: Sendable, CaseIterable {
    case toServer, toClient
  }

  enum Act: Sendable {
    case pass
    /// Ends both connections: instead of passing the message on, in the middle of it, or after it.
    case cutBefore, cutWithin, cutAfter
    /// Passes the message on after a while.
    case delay
    /// Keeps the message back, or ends the connection to the client and keeps the message back:
    /// ``sendLate()`` makes the server get all of them.
    case hold, cutHolding
  }

  typealias Plan = @Sendable (Direction, [UInt8]) -> Act

  /// What a network does that delivers each message at once or not at all.
  static let disturbances: [Act] = [.cutBefore, .cutWithin, .cutAfter, .delay]

  let port: Int
  private let listener: Socket
  private let late = DispatchSemaphore(value: 0)

  private static let lastPort = Atomic(PostgresServer.port)

  /// - Parameter plan: what to do with a message as it arrives.
  init(of server: PostgresServer, _ plan: @escaping Plan) throws {
    port = Self.lastPort.add(1, ordering: .relaxed).newValue
    let folder = server.folder
    let listener = try Socket(at: "\(folder)/.s.PGSQL.\(port)", isListening: true)
    self.listener = listener
    // Other servers may connect, too.
    chmod("\(folder)/.s.PGSQL.\(port)", 0o777)
    Thread.detachNewThread { [late] in
      while let client = listener.accept() {
        guard
          let server = try? Socket(
            at: "\(folder)/.s.PGSQL.\(PostgresServer.port)", isListening: false)
        else { continue }
        for (direction, source, target) in [
          (Direction.toServer, client, server), (.toClient, server, client),
        ] {
          Thread.detachNewThread { Self.pump(direction, from: source, to: target, late, plan) }
        }
      }
    }
  }

  deinit {
    listener.shutDown()
    late.signal()
  }

  func sendLate() { late.signal() }

  private static func pump(
    _ direction: Direction, from source: Socket, to target: Socket,
    _ late: DispatchSemaphore, _ plan: Plan
  ) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    // A client's first message has no byte for its type.
    var messages = MessageBuffer(typeSize: direction == .toServer ? 0 : 1)
    var held: [UInt8] = []
    reading: while case let count = read(source.number, &buffer, buffer.count), count > 0 {
      messages.append(buffer.prefix(count))
      while let message = messages.next() {
        let act = plan(direction, message)
        if act == .delay { Thread.sleep(forTimeInterval: 0.03) }
        // Before the bytes are passed on: nothing that answers them may arrive.
        if act == .cutAfter || act == .cutHolding { source.shutDown() }
        switch act {
        case .cutBefore: break
        case .hold: held += message
        case .cutHolding:
          late.wait()
          target.send((held + message)[...])
        case .cutWithin: target.send(message.prefix(message.count / 2))
        case .pass, .cutAfter, .delay: target.send(message[...])
        }
        guard [.pass, .delay, .hold].contains(act) else { break reading }
      }
    }
    source.shutDown()
    target.shutDown()
  }

  /// Bytes of PostgreSQL's protocol as messages: a byte for the type, then the length of the rest.
  private struct MessageBuffer {
    var typeSize: Int
    private var bytes: ArraySlice<UInt8> = []

    init(typeSize: Int) { self.typeSize = typeSize }

    mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

    /// The next message, if it is there as a whole.
    mutating func next() -> [UInt8]? {
      guard bytes.count >= typeSize + 4 else { return nil }
      let length = bytes.dropFirst(typeSize).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard bytes.count >= typeSize + length else { return nil }
      defer {
        bytes = bytes.dropFirst(typeSize + length)
        typeSize = 1
      }
      return Array(bytes.prefix(typeSize + length))
    }
  }

  /// Open as long as a thread uses it: another socket could get the number of a closed one.
  private final class Socket: Sendable {
    let number: Int32

    private init(_ number: Int32) { self.number = number }

    init(at path: String, isListening: Bool) throws {
      number = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let length = socklen_t(MemoryLayout<sockaddr_un>.size)
      let isOpen = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          isListening
            ? bind(number, address, length) == 0 && listen(number, 16) == 0
            : connect(number, address, length) == 0
        }
      }
      guard number >= 0, isOpen else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(number) }

    /// The next connection; nil after this was shut down.
    func accept() -> Socket? {
      let number = Foundation.accept(number, nil, nil)
      return number < 0 ? nil : Socket(number)
    }

    func shutDown() { shutdown(number, Int32(SHUT_RDWR)) }

    func send(_ bytes: ArraySlice<UInt8>) {
      var rest = bytes
      while !rest.isEmpty {
        let part = rest.withUnsafeBytes {
          Foundation.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard part > 0 else { return }
        rest = rest.dropFirst(part)
      }
    }
  }
}
