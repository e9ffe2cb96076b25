import SyncClient

/// Counts of the events in runs.
struct LossyTally {
  var runs = 0
  var clients = 0
  var messages = 0
  var faults: [MessageFault: Int] = [:]
  var lateCount = 0
  var troubleAnswers = 0
  var crashes = 0
  var diedSaving = 0
  var damagedFiles = 0
  var restores = 0
  var steps = 0
  var pages = 0
  var startsOver: [String: Int] = [:]
  var refusals: [String: Int] = [:]
  var highestPerMinute = 0
  var longestSeconds = 0.0

  mutating func add(_ step: ReplicaStep) {
    steps += 1
    if step.reason.isStartedOver { startsOver[Self.word(step.reason), default: 0] += 1 }
  }

  mutating func add(_ error: ReplicaError) { refusals[Self.word(error), default: 0] += 1 }

  /// The name of a case without its payload.
  private static func word(_ value: Any) -> String { String("\(value)".prefix { $0 != "(" }) }

  private static func word(_ error: ReplicaError) -> String {
    switch error {
    case .badAddress: "bad address"
    case .badToken: "bad token"
    case .missingLibrary: "missing library"
    case .foreignFile: "foreign file"
    case .otherSource: "other source"
    case .newerFile: "newer file"
    case .damagedFile: "damaged file"
    case .changedRows: "changed rows"
    case .cannotOpen: "cannot open"
    case .unauthenticated: "unauthenticated"
    case .forbidden: "forbidden"
    case .noSuchList: "no such list"
    case .gone: "gone"
    case .refused: "refused"
    case .answerTooLong: "answer too long"
    case .gaveUp: "gave up"
    case .askedToWait: "asked to wait"
    case .overLimit: "over a limit"
    case .mismatchAgain: "mismatch again"
    case .rewritten: "rewritten"
    case .unproven: "unproven"
    case .untrusted: "untrusted"
    case .notSaved: "not saved"
    case .undecodable: "undecodable"
    }
  }

  mutating func add(_ other: LossyTally) {
    runs += other.runs
    clients += other.clients
    messages += other.messages
    faults.merge(other.faults, uniquingKeysWith: +)
    lateCount += other.lateCount
    troubleAnswers += other.troubleAnswers
    crashes += other.crashes
    diedSaving += other.diedSaving
    damagedFiles += other.damagedFiles
    restores += other.restores
    steps += other.steps
    pages += other.pages
    startsOver.merge(other.startsOver, uniquingKeysWith: +)
    refusals.merge(other.refusals, uniquingKeysWith: +)
    highestPerMinute = max(highestPerMinute, other.highestPerMinute)
    longestSeconds = max(longestSeconds, other.longestSeconds)
  }

  private func count(_ kinds: MessageFault...) -> Int {
    kinds.reduce(0) { $0 + (faults[$1] ?? 0) }
  }

  private func list(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  var figures: String {
    """
    \(runs) runs, \(clients) clients, \(messages) messages, \
    \(count(.requestDropped, .answerDropped)) dropped, \
    \(count(.requestRepeated, .answerRepeated)) repeated, \(count(.late)) reordered, \
    \(count(.cut, .shortened)) cut, \(count(.flipped)) flipped, \(count(.doubled)) doubled, \
    \(count(.stale)) stale, \(count(.another)) another's, \(lateCount) late, \
    \(troubleAnswers) in troubles, \(crashes) crashes (\(diedSaving) in a save), \
    \(damagedFiles) damaged files, \(restores) restores, \(steps) steps, \(pages) pages, \
    starts over: \(list(startsOver)); refusals: \(list(refusals)); \
    at most \(highestPerMinute) requests a minute, \
    longest time to agreement \(longestSeconds.tenths) s
    """
  }
}
