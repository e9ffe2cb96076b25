import HTTPTypes
import Hummingbird
import ListDocuments
import NIOCore

/// The names under which a server is asked: its own addresses, and those that its keeper gave it.
///
/// A page whose name its owner points at this server ("DNS rebinding") sends its own name as
/// `Host`, with a matching `Origin`: to the browser, page and server are one. So other names are
/// refused.
///
/// - Source: RFC 9110, 7.2 and 15.5.20; RFC 9112, 3.2.
struct HostNames: Sendable {
  /// In lower case.
  private let names: Set<String>

  init(_ names: Set<String>) { self.names = Set(names.map { $0.lowercased() }) }

  /// - Parameter local: this end of the connection; nil where there is none, which is taken for a
  ///   connection of this machine.
  /// - Throws: `Problem` of type `invalid-request` for a request with no `Host`, two or a broken
  ///   one; `misdirected-request` for another name.
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
          the server is not known as '\(name.shortened)'; where that is meant, start it with \
          --host-name
          """)
    }
  }

  private func isOwn(_ name: String, at local: SocketAddress?) -> Bool {
    if names.contains(name) { return true }
    let own = local?.plainIPAddress ?? "127.0.0.1"
    if name == "localhost" { return own == "::1" || own.hasPrefix("127.") }
    return (try? SocketAddress(ipAddress: name, port: 0).plainIPAddress) == own
  }

  /// The name or address without its port, in lower case; nil where the text is neither.
  static func name(in text: String) -> String? {
    var name = text.lowercased()[...]
    if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
      guard name[colon...].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      name = name[..<colon]
    }
    if name.hasPrefix("["), name.hasSuffix("]") {
      let address = name.dropFirst().dropLast()
      return address.contains(":") && address.utf8.allSatisfy(isOfAddress) ? String(address) : nil
    }
    return !name.isEmpty && name.utf8.allSatisfy(isOfName) ? String(name) : nil
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isOfAddress(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || isOfName(byte)
  }
}

extension SocketAddress {
  /// The address as numbers; nil for one that is no IP address. An IPv4 address that came by a
  /// socket of IPv6 is written as IPv4.
  fileprivate var plainIPAddress: String? {
    guard let text = ipAddress else { return nil }
    let prefix = "::ffff:"
    return text.hasPrefix(prefix) && text.contains(".")
      ? String(text.dropFirst(prefix.count)) : text
  }
}
