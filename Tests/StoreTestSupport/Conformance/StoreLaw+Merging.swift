import ListModel
import ListStore
import SyncService
import TestSupport

/// Merging changes no answer.
extension StoreLaw {
  static let merging = [
    StoreLaw("lists answer the same with few segments and with many, and pruned") { law in
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
          // A long content makes a segment that has its blocks elsewhere.
          if Int.random(in: 0..<4, using: &random) == 0 {
            let text = String.random(ofLength: 1 << 16, using: &random)
            texts.append("\(round)-\(number)=\"\(text)\"")
          }
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
        if Bool.random(using: &random) {
          _ = try await service.compactIfDue(.law)
        } else {
          _ = try await service.compact(.law)
          let again = try await service.compact(.law)
          try law.expect(again.mergedCount == 0, "a second compaction merged segments")
        }
        try await expect("merging")
      }
    }
  ]
}

extension String {
  /// Letters and digits that hardly compress.
  fileprivate static func random(ofLength count: Int, using random: inout SeededRandom) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
    return String(
      decoding: (0..<count).map { _ in letters[Int.random(in: 0..<64, using: &random)] },
      as: UTF8.self)
  }
}
