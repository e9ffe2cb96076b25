import Foundation
import TestSupport

/// The bytes of one connection, and the way they are sent.
struct HostileExchange {
  let requests: [HostileRequest]
  private let bytes: [UInt8]
  /// The places where the bytes are split, and the pause at each.
  private let pauses: [(index: Int, seconds: Double)]
  private let end: End

  private enum End {
    /// The client ends its side, and reads everything.
    case halfClose
    /// The client resets the connection.
    case reset
    /// The client is silent, and the server ends the connection.
    case silence
  }

  init(_ random: inout SeededRandom) {
    var requests: [HostileRequest] = []
    for _ in 0..<random.number(0...2) { requests.append(.sound(&random)) }
    var hostile = HostileRequest.sound(&random)
    for _ in 0..<random.number(1...2) { hostile.bend(&random) }
    requests.append(hostile)
    if random.chance(3) { requests.append(.sound(&random)) }
    // If the head of a request is altered, answers cannot be matched to requests. Then no answer
    // may lack a body.
    for index in requests.indices.dropLast() where requests[index].isHead {
      requests[index].method = "GET"
    }
    self.requests = requests
    var bytes = requests.flatMap(\.bytes)
    if random.chance(5) { bytes = Array(bytes.prefix(random.number(0...bytes.count))) }
    if random.chance(10), !bytes.isEmpty {
      bytes[random.number(0...bytes.count - 1)] = UInt8(random.number(0...255))
    }
    self.bytes = bytes
    let isTrickled = random.chance(4)
    pauses = (0..<(isTrickled ? random.number(1...8) : 0)).map { _ in
      (random.number(0...bytes.count), Double(random.number(0...20)) / 1000)
    }.sorted { $0.0 < $1.0 }
    end = random.chance(20) ? .reset : random.chance(20) ? .silence : .halfClose
  }

  /// Sends all bytes, and reads the server's answers until the connection ends.
  ///
  /// - Throws: `Wire.Failure` when the server does not end the connection in time.
  func run(port: Int) throws -> (bytes: [UInt8], isBroken: Bool) {
    let wire = try Wire(port: port)
    var sent = 0
    do {
      for pause in pauses {
        try wire.write(bytes[sent..<pause.index])
        sent = pause.index
        Thread.sleep(forTimeInterval: pause.seconds)
      }
      try wire.write(bytes[sent...])
    } catch let failure as Wire.Failure where failure.isBroken {
      return (try readAll(wire).bytes, true)
    }
    switch end {
    case .halfClose: wire.endWriting()
    case .silence: break
    case .reset:
      wire.reset()
      return ([], true)
    }
    return try readAll(wire)
  }

  private func readAll(_ wire: Wire) throws -> (bytes: [UInt8], isBroken: Bool) {
    var bytes: [UInt8] = []
    do {
      while case let next = try wire.read(), !next.isEmpty { bytes += next }
      return (bytes, false)
    } catch let failure as Wire.Failure where failure.isBroken {
      return (bytes, true)
    }
  }

  /// The bytes, as a failure prints them.
  var description: String {
    Data(bytes.prefix(1000)).base64EncodedString()
      + " (\(bytes.count) bytes, \(pauses.count) pauses, \(end))"
  }
}

extension Wire.Failure {
  /// Whether the other end reset the connection.
  var isBroken: Bool { code == ECONNRESET || code == EPIPE || code == ENOTCONN }
}
