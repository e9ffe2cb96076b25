import TestSupport

/// One line of a run's script; a run without any lines has no faults.
enum ScriptLine: Sendable, CustomStringConvertible {
  case act(ServerAct)
  case fault(client: Int, ordinal: Int, MessageFault)
  case trouble(Trouble)
  case deed(client: Int, seconds: Double, ClientDeed)

  var description: String {
    switch self {
    case .act(let act): "server \(act)"
    case .fault(let client, let ordinal, let fault):
      "client \(client)'s message \(ordinal) \(fault)"
    case .trouble(let trouble): "network \(trouble)"
    case .deed(let client, let seconds, let deed): "client \(client) \(seconds.tenths) \(deed)"
    }
  }

  /// Random lines of all kinds except the server's acts.
  static func lines(
    clientCount: Int, endSeconds: Double, _ random: inout SeededRandom
  ) -> [ScriptLine] {
    var lines: [ScriptLine] = []
    let faultRate = random.element(of: [0, 3, 10, 10, 25, 60])
    for client in 0..<clientCount {
      for ordinal in 1...80 where random.number(1...100) <= faultRate {
        lines.append(
          .fault(
            client: client, ordinal: ordinal, random.element(of: MessageFault.usual)))
      }
      for _ in 0..<random.number(0...4) {
        lines.append(
          .deed(
            client: client, seconds: random.seconds(0...endSeconds),
            random.element(of: ClientDeed.usual)))
      }
    }
    for _ in 0..<random.number(0...3) {
      lines.append(.trouble(.random(endSeconds: endSeconds, &random)))
    }
    return lines
  }
}
