import SyncClient

/// An answer as libcurl gives it: the lines of its heads, pieces of its body, lines of trailers.
struct ReceivedAnswer {
  /// The highest number of bytes of all heads and trailers of an answer.
  static let headByteLimit = 80 << 10

  private let byteLimit: Int
  private var headByteCount = 0
  private var status = 0
  /// The names are in lower case.
  private var headers: [(name: String, value: String)] = []
  /// Nil until the head is whole. The heads of interim answers, such as 100 Continue, don't count.
  private var body: ReceivedBody?
  /// Whether this is a problem document that is too long, so that only its status counts.
  private(set) var hasStatusAlone = false

  /// - Parameter byteLimit: the highest number of bytes of the body, uncompressed.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var hasHead: Bool { body != nil }

  /// - Parameter line: a line of a head or a trailer, with its end.
  /// - Throws: `Unavailability`.
  mutating func receiveLine(_ line: UnsafeRawBufferPointer) throws {
    headByteCount += line.count
    guard headByteCount <= Self.headByteLimit else {
      throw Unavailability.network(
        reason: "the head of the answer has more than \(Self.headByteLimit) bytes")
    }
    // The rest is a trailer.
    guard !hasHead else { return }
    let isContinuation = line.first.map(Self.isSpace) == true
    let text = Self.trimmed(line[...])
    if text.isEmpty {
      if status >= 200, !isContinuation { try endHead() }
    } else if isContinuation {
      if !headers.isEmpty { headers[headers.count - 1].value += " " + Self.text(text) }
    } else if let status = Self.status(text) {
      (self.status, headers) = (status, [])
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let value = Self.trimmed(text[(colon + 1)...])
      headers.append((Self.text(text[..<colon]).lowercased(), Self.text(value)))
    }
  }

  private mutating func endHead() throws {
    let codings = headers.filter { $0.name == "content-encoding" }
    let limit = isProblem ? min(byteLimit, TransportOptions.problemByteLimit) : byteLimit
    body = try ReceivedBody(
      coding: codings.map(\.value).joined(separator: ","), byteLimit: limit)
  }

  private var isProblem: Bool { status >= 300 }

  /// - Returns: false if the rest of the body does not matter.
  /// - Throws: `ReplicaError.answerTooLong`; `Unavailability`.
  mutating func receiveBody(_ piece: UnsafeRawBufferPointer) throws -> Bool {
    guard hasHead else { throw Unavailability.network(reason: "the answer is not HTTP") }
    do {
      try body?.append(Array(piece))
      return true
    } catch ReplicaError.answerTooLong where isProblem {
      hasStatusAlone = true
      return false
    }
  }

  /// The response, when the server has sent it all.
  ///
  /// - Throws: `Unavailability` for a head or gzip that is not whole.
  func response() throws -> ReplicaResponse {
    guard let body else { throw Unavailability.cutOff }
    return ReplicaResponse(
      status: status,
      headers: Dictionary(
        headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
      body: hasStatusAlone ? [] : try body.finish())
  }
}

extension ReceivedAnswer {
  private typealias Bytes = Slice<UnsafeRawBufferPointer>

  /// The status of a line such as `HTTP/1.1 404 Not Found`; nil for other lines.
  private static func status(_ line: Bytes) -> Int? {
    guard line.starts(with: "HTTP/".utf8) else { return nil }
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    return words.count > 1 ? Int(text(words[1])) : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Without spaces, tabs and line ends at both ends.
  private static func trimmed(_ bytes: Bytes) -> Bytes {
    let isOuter = { (byte: UInt8) in isSpace(byte) || byte == 0x0D || byte == 0x0A }
    var rest = bytes.drop(while: isOuter)
    while let last = rest.last, isOuter(last) { rest = rest.dropLast() }
    return rest
  }

  private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
}
