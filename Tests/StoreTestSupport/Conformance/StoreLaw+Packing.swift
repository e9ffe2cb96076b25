import ListModel
import ListStore
import SyncService
import TestSupport

/// Packing changes no answer.
extension StoreLaw {
  static let packing = [
    StoreLaw("lists answer the same plain, packed, pruned and unpacked") { law in
      let service = SyncService(store: law.store) { .law(9) }
      var random = SeededRandom(seed: law.seed)
      var texts: [String] = []
      for round in 0..<8 {
        for number in 0..<Int.random(in: 1...4, using: &random) {
          texts.removeAll { _ in Int.random(in: 0..<6, using: &random) == 0 }
          if texts.count > 2 { texts.swapAt(0, .random(in: 1..<texts.count, using: &random)) }
          for index in texts.indices where Int.random(in: 0..<4, using: &random) == 0 {
            texts[index] =
              texts[index].prefix { $0 != "=" } + "=\(Int.random(in: 0..<9, using: &random))"
          }
          texts.insert("i\(round)-\(number)", at: .random(in: 0...texts.count, using: &random))
          _ = try await service.commit(CommitRequest(list: .law, snapshot: .of(texts)))
        }
        if round % 4 == 3 { try await service.prune(.law, keepLast: 5) }
        let before = try await StoreAnswers(of: service)
        func expect(_ what: String) async throws {
          let answers = try await StoreAnswers(of: service)
          try law.expect(answers == before, "\(what) in round \(round)")
          for (id, history) in answers.lists[.law]?.histories ?? [:] where !history.isEmpty {
            let version = history[history.count / 2].record.version
            for end in [version, version.next] {
              let older = try await service.history(of: id, in: .law, before: end)
              let expected = history.filter { $0.record.version < end }
              try law.expect(older == expected, "\(id) before \(end), \(what), round \(round)")
            }
          }
          let report: VerificationReport = try await service.verify(depth: .everything)
          try law.expect(report.faults.isEmpty, "\(report.faults) after \(what) in round \(round)")
        }
        _ = try await service.compact(.law, isWhole: Bool.random(using: &random))
        try await expect("packing")
        if round % 3 == 2 {
          let outcome = try await service.unpack(.law)
          try law.expect(outcome.unpackedCount > 0, "nothing was unpacked")
          try await expect("unpacking")
        }
      }
    }
  ]
}
