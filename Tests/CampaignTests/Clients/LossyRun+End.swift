import ListModel
import SyncClient

/// The end of a run: the faults stop, and every client reaches the server's list.
extension LossyRun {
  func finish() async throws {
    isCalm = true
    for client in clients { client.savePlan = nil }
    let start = now
    try await advance(until: start + Self.agreementSeconds) { self.areSettled }
    tally.longestSeconds = max(tally.longestSeconds, now - start)
    for client in clients where !isSettled(client) {
      throw Violation("client \(client.index) does not come to the list: \(state(client))")
    }
    try await help()
    try await advance(until: now + Self.agreementSeconds) { self.agree }
    for client in clients where !hasHead(client) {
      throw Violation("client \(client.index) does not come there with help: \(state(client))")
    }
    for client in clients {
      tally.highestPerMinute = max(tally.highestPerMinute, client.meter.highestPerMinute)
    }
  }

  private var areSettled: Bool { clients.allSatisfy(isSettled) }

  private var agree: Bool { clients.allSatisfy(hasHead) }

  private func hasHead(_ client: SimulatedClient) -> Bool {
    client.isAt(server.head(of: client.list), server.snapshot(of: client.list))
  }

  /// Whether the client has the list, or waits for its user.
  private func isSettled(_ client: SimulatedClient) -> Bool {
    if client.refusal != nil { return true }
    switch client.machine?.state {
    case .current, .paused, .failed: return true
    case .idle, .asking, .waiting, .saving, .stopped, nil: return hasHead(client)
    }
  }

  /// Users do what the refusals ask for.
  private func help() async throws {
    for client in clients where !hasHead(client) {
      if client.refusal != nil {
        try client.place.remove()
        client.isFileDamaged = false
        (client.saved, client.perhapsSaved) = (.empty, nil)
        queue.add(.begin(client: client.index, life: client.life), at: now)
      } else {
        try resume(client)
      }
    }
  }

  private func state(_ client: SimulatedClient) -> String {
    let cursor = client.machine?.copy.cursor.description ?? "no process"
    let state = client.machine.map { "\($0.state)".prefix(200) } ?? ""
    return "\(cursor) and not \(server.head(of: client.list)), \(state)"
  }
}
