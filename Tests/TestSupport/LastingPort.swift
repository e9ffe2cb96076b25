/// Ports for servers that are started again, or that are not asked for their address.
package enum LastingPort {
  /// Returns a free port that the system gives to nobody who asks for any port.
  ///
  /// So a client of a server that is down meets no other server of a test at its address.
  package static func free() -> Int {
    while true {
      let port = Int.random(in: 20_000..<32_768)
      // Nobody answers there.
      if (try? Wire(port: port)) == nil { return port }
    }
  }
}
