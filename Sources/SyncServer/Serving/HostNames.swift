import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import NIOCore

/// The host names and addresses that a server answers for.
///
/// A page whose name its owner points at this server ("DNS rebinding") sends its own name as
/// `Host`, with a matching `Origin`. The browser then sees page and server as one origin. So
/// requests for other names are refused.
///
/// - Source: RFC 9110, 7.2 and 15.5.20; RFC 9112, 3.2.
struct HostNames: Sendable {
  /// In lower case.
  private let names: Set<String>

  /// - Parameter names: in addition to `localhost` and the addresses of the connections.
  init(_ names: Set<String>) { self.names = Set(names.map { $0.lowercased() }) }

  /// - Parameter local: the connection's end on this machine; nil stands for 127.0.0.1.
  /// - Throws: `Problem` of type `invalid-request` unless the request has one valid `Host`;
  ///   `misdirected-request` for another name.
  func check(_ request: Request, at local: SocketAddress?) throws(Problem) {
    guard let text = request.head.authority, request.headers[.host] == nil else {
      throw .invalid("a request has one Host")
    }
    guard let name = Self.name(in: text) else {
      throw .invalid("the Host is not a name or address")
    }
    guard isOwn(name, at: local) else {
      throw Problem(
        kind: .misdirectedRequest,
        detail: """
          the server does not answer for the host '\(name.shortened)'; its option --host-name adds \
          names
          """)
    }
  }

  private func isOwn(_ name: String, at local: SocketAddress?) -> Bool {
    if names.contains(name) { return true }
    let own = local?.plainIPAddress ?? "127.0.0.1"
    if name == "localhost" { return own == "::1" || own.hasPrefix("127.") }
    return (try? SocketAddress(ipAddress: name, port: 0).plainIPAddress) == own
  }

  /// The name or address without its port, in lower case; nil if the text is neither.
  static func name(in text: String) -> String? {
    var name = text.lowercased()[...]
    if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
      guard name[colon...].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      name = name[..<colon]
    }
    let isIPv6 = name.hasPrefix("[") && name.hasSuffix("]")
    if isIPv6 { name = name.dropFirst().dropLast() }
    let marks = (isIPv6 ? ":-._" : "-._").utf8
    guard !name.isEmpty, name.contains(":") == isIPv6,
      name.utf8.allSatisfy({ $0.isAlphanumeric || marks.contains($0) })
    else { return nil }
    return String(name)
  }
}

extension SocketAddress {
  /// The IP address as text; nil for other addresses. An IPv4 address that arrived at an IPv6
  /// socket is written as IPv4.
  fileprivate var plainIPAddress: String? {
    guard let text = ipAddress else { return nil }
    let prefix = "::ffff:"
    return text.hasPrefix(prefix) && text.contains(".")
      ? String(text.dropFirst(prefix.count)) : text
  }
}
