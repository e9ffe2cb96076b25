import ListModel

/// The states of a replica and all that can happen to it, without network, file, clock or chance.
///
/// Whoever runs it (``Replica``, or a simulation) tells it what happened with ``handle(_:)`` and
/// does what that returns, in order. <doc:Machine> has the table of every state and event, and the
/// invariants with their tests.
public struct ReplicaMachine: Sendable {
  public struct Options: Equatable, Sendable {
    public let list: ListName
    /// Whether the replica goes on when it has caught up.
    public var watches: Bool
    /// How long the server is asked to wait for news.
    public var waitSeconds: Int
    /// How many changes one answer may cover; nil for all.
    public var changeLimit: Int?
    public var retry: RetryRule

    public init(
      list: ListName, watches: Bool = true, waitSeconds: Int = 30, changeLimit: Int? = nil,
      retry: RetryRule = RetryRule()
    ) {
      self.list = list
      self.watches = watches
      self.waitSeconds = waitSeconds
      self.changeLimit = changeLimit
      self.retry = retry
    }
  }

  public let options: Options
  public internal(set) var state = State.idle
  /// What was verified and saved last.
  public internal(set) var copy = ListCopy.empty
  /// Why the next request is for the whole list; nil where it is not.
  var startOver: StartOver?
  /// Whether the replica started over by itself since the last change set that held.
  var hasStartedOver = false
  /// How often it started over since the server last had nothing new: more than once where two
  /// servers, or a server and a cache, each have another history.
  var startOverCount = 0
  /// Whether the server had nothing more when it was last heard.
  var isAtHead = false
  /// Tries in a row that brought no answer.
  var failureCount = 0
  /// Pages in a row that changed nothing, with more to come.
  var emptyPageCount = 0
  private var lastNumber = 0

  public init(_ options: Options) { self.options = options }

  /// Why a replica asks for the whole list although it has one.
  enum StartOver: Equatable {
    case mismatch(Mismatch)
    case noDelta(ReplicaAnswer.NoDelta)
  }

  /// A number that no request, timer or save of this replica had before.
  mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Takes what happened, and tells what to do, in order. What cannot happen in the present state,
  /// or no longer counts, changes nothing and returns nothing.
  ///
  /// - Complexity: as the answer: O(n + d log d) for d changes of a list of n items; a whole list
  ///   is compared with the copy in O(n).
  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .start(let copy): start(copy)
    case .answered(let number, let answer, let moment): take(answer, to: number, moment)
    case .timerFired(let number): endWait(number)
    case .saved(let number): finishSaving(number)
    case .saveFailed(let number, let error): abandonSaving(number, error)
    case .pause: pause()
    case .resume: resume()
    case .stop: stop()
    }
  }
}
