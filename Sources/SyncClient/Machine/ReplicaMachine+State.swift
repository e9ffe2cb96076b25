import ListModel

extension ReplicaMachine {
  /// What a replica does now. Whatever waits for something from outside has its number.
  public enum State: Equatable, Sendable {
    /// It was not started yet.
    case idle
    /// It waits for the answer to a request: it starts over, catches up or watches.
    case asking(ReplicaRequest)
    /// It waits until it may ask again.
    case waiting(Wait)
    /// It waits for a verified step to be saved.
    case saving(Saving)
    /// It has caught up, and does not watch.
    case current
    case paused
    /// It ended as it was told to.
    case stopped
    /// It ended by itself; the copy is what it was before.
    case failed(ReplicaError)
  }

  public struct Wait: Equatable, Sendable {
    public let number: Int
    public let seconds: Double
    /// Why the last try failed; nil where none did: the server answered at once that there is
    /// nothing new, or the replica has started over again and again.
    public let cause: Unavailability?
  }

  public struct Saving: Equatable, Sendable {
    public let number: Int
    public let step: ReplicaStep
    /// Whether the server has more.
    let more: Bool
    /// How long the replica then waits before it asks again; nil not to.
    let waitSeconds: Double?
    /// What comes when it is saved.
    var next: AfterSaving
  }

  public enum AfterSaving: Sendable { case goOn, pause, stop }

  /// What happened.
  public enum Event: Equatable, Sendable {
    /// The replica begins, with what was saved or with ``ListCopy/empty``.
    case start(ListCopy)
    /// A request was answered, or its try failed.
    case answered(Int, ReplicaAnswer, Moment)
    case timerFired(Int)
    case saved(Int)
    case saveFailed(Int, ReplicaError)
    case pause
    /// Go on after a pause or a failure, ask again when up to date, try at once while waiting.
    case resume
    case stop
  }

  /// What only the world knows when a request is answered.
  public struct Moment: Equatable, Sendable {
    /// Since the request was sent.
    public let elapsedSeconds: Double
    /// By chance from 0 up to, not including, 1.
    public let random: Double

    public init(elapsedSeconds: Double, random: Double) {
      self.elapsedSeconds = elapsedSeconds
      self.random = random
    }
  }

  /// What is to be done.
  public enum Effect: Equatable, Sendable {
    /// Send a request; its answer, or failure, is told with its number.
    case send(ReplicaRequest)
    /// Give the request up; an answer to it no longer counts.
    case cancel(Int)
    case setTimer(Int, seconds: Double)
    case cancelTimer(Int)
    /// Make a step durable, list and cursor together.
    case save(Int, ReplicaStep)
    /// Hand a step out: it is verified and saved.
    case show(ReplicaStep)
  }
}
