import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// `socket` and `linger` are names of properties and variables, too.
private let systemSocket = socket
private typealias SystemLinger = linger

/// One connection to a server on this machine, byte by byte: nothing is added, unpacked or
/// corrected.
///
/// Every call blocks its thread for two minutes at most: a sanitizer on a busy machine is slow.
package final class Wire: Sendable {
  private let socket: Int32

  package struct Failure: Error {
    package let call: String
    package let code: Int32
  }

  /// - Parameter receiveByteCount: how many bytes this end's system takes ahead; nil for its own
  ///   choice.
  package init(port: Int, receiveByteCount: Int32? = nil) throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    socket = systemSocket(AF_INET, kind, 0)
    guard socket >= 0 else { throw Failure(call: "socket", code: errno) }
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    if var count = receiveByteCount {
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &count, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Failure(call: "connect", code: errno) }
  }

  deinit { close(socket) }

  package func write(_ bytes: some Sequence<UInt8>) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Self.quietly) }
      guard count > 0 else { throw Failure(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  package func write(_ text: String) throws { try write(text.utf8) }

  /// Ends the writing side of the connection.
  package func endWriting() { shutdown(socket, Int32(SHUT_WR)) }

  /// Resets the connection; data on its way is lost.
  package func reset() {
    var setting = SystemLinger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<SystemLinger>.size))
    shutdown(socket, Int32(SHUT_RDWR))
  }

  /// The next bytes; empty at the end.
  package func read() throws -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      let received = recv(socket, buffer.baseAddress, buffer.count, 0)
      if received < 0 { failure = errno }
      count = max(0, received)
    }
    if failure != 0 { throw Failure(call: "recv", code: failure) }
    return bytes
  }

  /// All bytes up to the end.
  package func readToEnd() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while case let next = try read(), !next.isEmpty { bytes += next }
    return bytes
  }

  #if canImport(Glibc)
    private static let quietly = Int32(MSG_NOSIGNAL)
  #else
    private static let quietly: Int32 = 0
  #endif
}

/// Runs a blocking closure on a thread of its own.
package func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
  }
}
