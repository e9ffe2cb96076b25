import ListDocuments
import ListModel

/// The state machine of a replica, without network, file, clock or randomness.
///
/// Its user (``ReplicaSession``, or a simulation) passes each event to ``handle(_:)`` and carries
/// out the returned effects in order. <doc:Machine> has the table of all states and events, and the
/// invariants with their tests.
public struct ReplicaMachine: Sendable {
  public struct Options: Equatable, Sendable {
    public let list: ListName
    /// Whether the replica waits for news when it has caught up.
    public var watches = true
    /// The time for which the server may hold a request until there is news.
    public var waitSeconds = 30
    /// The highest number of changes in an answer; nil for no limit.
    public var changeLimit: Int?
    public var retry = RetryRule()
    /// Whether the server must prove, by the headers of all versions between, that a later version
    /// continues the history of the copy. For the next version, this is always checked.
    public var proves = false
    /// The key that must have signed every copy; nil if none must.
    public var key: VerifierKey?
  }

  public let options: Options
  public internal(set) var state = State.idle
  /// The last verified and saved copy.
  public internal(set) var copy = ListCopy.empty
  /// The reason for which the next request is for the whole list although there is a copy; nil if
  /// it is not.
  var startOver: ReplicaStep.Reason?
  /// Whether the replica has started over since it last applied changes.
  var hasStartedOver = false
  /// The number of restarts since the server last had nothing new: more than one if two servers, or
  /// a server and a cache, have different histories.
  var startOverCount = 0
  /// The proof that an answer's history continues that of the copy; nil if none is needed now.
  var proof: HistoryProof?
  /// Whether the copy belongs to another history, according to an answer since it was saved.
  var hasDiverged = false
  /// The answers since the saved copy, joined, on the way to a signed state; nil if there is none.
  var unsigned: VerifiedAnswer?
  /// Whether an answer could not be applied, since the copy's rows were changed. The user then
  /// replaces the copy.
  var hasStaleRows = false
  /// Whether the last answer announced nothing more.
  var isAtHead = false
  /// Whether the replica was paused before its start, for example while its copy was loaded.
  var pausesAtStart = false
  /// The number of consecutive tries without an answer.
  var failureCount = 0
  /// The number of consecutive pages without a change that announced more.
  var emptyPageCount = 0
  private var lastNumber = 0

  public init(_ options: Options) { self.options = options }

  /// A new number for a request, timer or save.
  mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Handles an event and returns the effects, in order. An event that is impossible or outdated in
  /// the present state changes nothing and has no effects.
  ///
  /// - Complexity: O(n + d log d) for d changes of a list of n items, and O(n) to compare a whole
  ///   list with the copy.
  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .start(let copy): start(copy)
    case .answered(let number, let answer, let timing): handle(answer, to: number, timing)
    case .timerFired(let number): endWait(number)
    case .saved(let number): finishSaving(number)
    case .saveFailed(let number, let error): abandonSaving(number, error)
    case .pause: pause()
    case .resume: resume()
    case .stop: stop()
    }
  }
}

extension ReplicaMachine.Options {
  public init(list: ListName) { self.init(list: list, watches: true) }
}
