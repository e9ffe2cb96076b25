import ArgumentParser

/// Where the server listens, and who may ask.
struct AddressOptions: ParsableArguments {
  @Option(help: "The address to listen on; 0.0.0.0 or :: for all of this machine's.")
  var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 8080
  @Option(
    name: .customLong("host-name"),
    help: ArgumentHelp(
      """
      A name under which the server is asked, beside its own addresses, such as lists.example; may be \
      repeated. Requests for other names are refused.
      """, valueName: "name"))
  var hostNames: [String] = []
  @Option(
    name: .customLong("tls-certificate"),
    help: ArgumentHelp("The certificate and its chain, in PEM form.", valueName: "file"))
  var certificateFile: String?
  @Option(
    name: .customLong("tls-key"),
    help: ArgumentHelp("The certificate's private key, in PEM form.", valueName: "file"))
  var keyFile: String?
  @Flag(
    name: .customLong("without-tokens"),
    help: "Listen on any address though the store has no tokens: who reaches it may do everything.")
  var isWithoutTokens = false
  @Option(
    name: .customLong("allow-origin"),
    help: ArgumentHelp(
      "A web origin whose pages may ask, such as https://example.org, or '*'; may be repeated.",
      valueName: "origin"))
  var allowedOrigins: [String] = []

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port: the port must be 0 to 65535.")
    }
    guard (certificateFile == nil) == (keyFile == nil) else {
      throw ValidationError("--tls-certificate and --tls-key: name both files, or none.")
    }
    for origin in allowedOrigins where !Self.isOrigin(origin) {
      throw ValidationError(
        "--allow-origin: '\(origin)' is no origin; write https://example.org, or '*'.")
    }
  }

  /// - Throws: `UnprotectedAddress`.
  func check(hasTokens: Bool) throws {
    if !hasTokens, !isWithoutTokens, !isLoopback { throw UnprotectedAddress(host: host) }
  }

  /// Whether other machines cannot reach the address. A name counts only where every system
  /// resolves it so.
  private var isLoopback: Bool {
    host == "localhost" || host == "::1" || host == "127.0.0.1"
  }

  private static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    let parts = text.split(separator: "://", omittingEmptySubsequences: false)
    return parts.count == 2 && ["http", "https"].contains(parts[0]) && !parts[1].isEmpty
      && !parts[1].contains("/")
  }
}

/// An address that other machines reach, on a store without tokens.
struct UnprotectedAddress: Error {
  let host: String
}
