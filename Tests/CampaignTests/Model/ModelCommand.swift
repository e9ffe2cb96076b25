import TestSupport

/// One call of the service. Its arguments follow from a seed and the present lists, so any part of
/// a sequence is a valid sequence too.
struct ModelCommand: CustomStringConvertible, Sendable {
  enum Verb: String, CaseIterable, Sendable {
    case commit, preview, commitDelta, edit, previewEdit, revert, importStates
    case show, delta, catchUp, replay, log, history, lists
    case tag, removeTag, prune, prunePlan, compact
    case drop, rename
    case transfer, transferBack
    case verify, backup, vacuum, size, reopen, read
  }

  let verb: Verb
  let seed: UInt64

  var description: String { "\(verb.rawValue) \(seed)" }

  /// Verbs that change lists are more frequent: the others need versions.
  private static let choices: [Verb] =
    Verb.allCases + [.commit, .commit, .commit, .commit, .edit, .edit, .commitDelta, .commitDelta]
    + [.importStates, .tag, .tag, .prune, .prune, .compact, .compact, .transfer, .delta, .catchUp]

  static func sequence(_ count: Int, _ random: inout SeededRandom) -> [ModelCommand] {
    (0..<count).map { _ in
      ModelCommand(
        verb: random.element(of: choices), seed: .random(in: 0..<1 << 32, using: &random))
    }
  }

  /// Parses a sequence as a failure prints it: `commit 17, prune 4`.
  static func sequence(_ text: String) -> [ModelCommand] {
    text.split(separator: ",").compactMap { part in
      let words = part.split(separator: " ")
      guard words.count == 2, let verb = Verb(rawValue: String(words[0])),
        let seed = UInt64(words[1])
      else { return nil }
      return ModelCommand(verb: verb, seed: seed)
    }
  }
}
