import ArgumentParser

/// The server's address, and the clients that it serves.
struct AddressOptions: ParsableArguments {
  @Option(help: "The address to listen on; 0.0.0.0 or :: for all addresses of this machine.")
  var host = "127.0.0.1"
  @Option(
    help: "The port to listen on; 0 for any free port. (default: 8080)",
    transform: wholeNumber(in: 0...65_535))
  var port = 8080
  @Option(
    name: .customLong("unix-socket"),
    help: ArgumentHelp(
      "Listen on this Unix socket, and on no address: for a proxy on the same machine.",
      valueName: "file"),
    completion: .file(), transform: path)
  var unixSocket: String?
  @Option(
    name: .customLong("host-name"),
    help: ArgumentHelp(
      """
      A host name of the server besides its addresses, such as lists.example; may be repeated. \
      Requests for other names are refused.
      """, valueName: "name"))
  var hostNames: [String] = []
  @Option(
    name: .customLong("tls-certificate"),
    help: ArgumentHelp("The certificate and its chain, in PEM form.", valueName: "file"),
    completion: .file())
  var certificateFile: String?
  @Option(
    name: .customLong("tls-key"),
    help: ArgumentHelp("The certificate's private key, in PEM form.", valueName: "file"),
    completion: .file())
  var keyFile: String?
  @Flag(
    name: .customLong("without-tokens"),
    help: "Listen on any address although the store has no tokens: every client may do everything.")
  var isWithoutTokens = false
  @Option(
    name: .customLong("allow-origin"),
    help: ArgumentHelp(
      """
      A web origin whose pages may read answers, such as https://example.org, or '*'; may be \
      repeated.
      """,
      valueName: "origin"),
    transform: origin)
  var allowedOrigins: [String] = []

  func check(hasTokens: Bool) throws(StartError) {
    if (certificateFile == nil) != (keyFile == nil) { throw .halfTLS }
    if !hasTokens, !isWithoutTokens, !isLoopback { throw .unprotected(host: host) }
  }

  /// - Throws: `StartError.unusableTLSFile` and `StartError.foreignKey`.
  func certificate() throws(StartError) -> ServerCertificate? {
    guard let certificateFile, let keyFile else { return nil }
    return try ServerCertificate(certificateFile: certificateFile, keyFile: keyFile)
  }

  /// The address as text: `127.0.0.1:8080`, or `unix:/run/http.sock`.
  func place(port: Int?) -> String {
    if let unixSocket { return "unix:\(unixSocket)" }
    return (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
  }

  /// Whether only this machine reaches the socket or address. The one name here is resolved so by
  /// every system.
  private var isLoopback: Bool {
    unixSocket != nil || host == "localhost" || host == "::1" || host == "127.0.0.1"
  }

  /// - Throws: `ValidationError` for an empty path, which the system would take for any name.
  @Sendable private static func path(_ text: String) throws -> String {
    if text.isEmpty { throw ValidationError("write the path of a file.") }
    return text
  }

  /// The origin as browsers send it: in lower case, without the standard port of its scheme.
  ///
  /// - Throws: `ValidationError`.
  /// - Source: the WHATWG URL standard, 4.5 URL writing.
  @Sendable private static func origin(_ text: String) throws -> String {
    if text == "*" { return text }
    let words = text.lowercased().split(separator: "://", omittingEmptySubsequences: false)
    let standardPorts: [Substring: String] = ["http": ":80", "https": ":443"]
    if words.count == 2, let port = standardPorts[words[0]] {
      let host = words[1].hasSuffix(port) ? words[1].dropLast(port.count) : words[1]
      let isHost = host.allSatisfy { character in
        character.isASCII && (character.isLetter || character.isNumber)
          || "-._:[]".contains(character)
      }
      if isHost, !host.isEmpty { return "\(words[0])://\(host)" }
    }
    throw ValidationError("write an origin such as https://example.org, or '*'.")
  }
}

/// Reads a whole number on the command line.
///
/// - Throws: `ValidationError`, which tells the range.
func wholeNumber(in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
  { text in
    guard let number = Int(text), range.contains(number) else {
      throw ValidationError("write a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
