import Foundation
import PostgresTestSupport

/// A socket in front of a server's, which cuts one connection at a planned place.
final class CuttingProxy: Sendable {
  enum Direction: Sendable {
    case toServer, toClient
  }

  enum Act: Sendable {
    case pass
    /// Ends both connections instead of passing the bytes on, or after it.
    case cutBefore, cutAfter
  }

  let port: Int
  private let listener: Int32

  /// - Parameters:
  ///   - port: no other proxy of the server has it.
  ///   - plan: what to do with bytes as they arrive.
  init(
    of server: PostgresServer, port: Int, _ plan: @escaping @Sendable (Direction, [UInt8]) -> Act
  ) throws {
    self.port = port
    let folder = server.folder
    let listener = try Self.socket(at: "\(folder)/.s.PGSQL.\(port)", binding: true)
    self.listener = listener
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let server = try? Self.socket(at: "\(folder)/.s.PGSQL.5432", binding: false) else {
          close(client)
          continue
        }
        for (direction, source, target) in [
          (Direction.toServer, client, server), (.toClient, server, client),
        ] {
          Thread.detachNewThread { Self.pump(source, target) { plan(direction, $0) } }
        }
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Sockets stay open until the process ends: another one could get the number of a closed one.
  private static func pump(_ source: Int32, _ target: Int32, _ plan: ([UInt8]) -> Act) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(source, &buffer, buffer.count), count > 0 {
      let bytes = Array(buffer.prefix(count))
      let act = plan(bytes)
      // Before the bytes are passed on: nothing that answers them may arrive.
      if act == .cutAfter { shutdown(source, Int32(SHUT_RDWR)) }
      if act != .cutBefore {
        var sent = 0
        while sent < count {
          let part = send(target, Array(bytes[sent...]), count - sent, Int32(MSG_NOSIGNAL))
          guard part > 0 else { break }
          sent += part
        }
      }
      if act != .pass { break }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(target, Int32(SHUT_RDWR))
  }

  private static func socket(at path: String, binding: Bool) throws -> Int32 {
    let socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isOpen = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        binding
          ? bind(socket, address, length) == 0 && listen(socket, 16) == 0
          : connect(socket, address, length) == 0
      }
    }
    guard socket >= 0, isOpen else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return socket
  }
}
