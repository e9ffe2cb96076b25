import ListModel

extension ReplicaMachine {
  public enum State: Equatable, Sendable {
    /// The replica has not been started yet.
    case idle
    /// It waits for the answer to a request.
    case asking(ReplicaRequest)
    /// It waits for the time of the next request.
    case waiting(Wait)
    /// It waits until a verified step is saved.
    case saving(Saving)
    /// It has caught up, and does not watch.
    case current
    case paused
    case stopped
    /// It ended with an error; the copy is unchanged.
    case failed(ReplicaError)
  }

  public struct Wait: Equatable, Sendable {
    public let number: Int
    public let seconds: Double
    /// The failure of the last try; nil if it did not fail: then the server answered a watch at
    /// once, or the replica has started over repeatedly.
    public let cause: Unavailability?
  }

  public struct Saving: Equatable, Sendable {
    public let number: Int
    public let step: ReplicaStep
    /// Whether the server announced more.
    let more: Bool
    /// The wait before the next request; nil for none.
    let waitSeconds: Double?
    var next: AfterSaving
  }

  public enum AfterSaving: Sendable { case proceed, pause, stop }

  public enum Event: Equatable, Sendable {
    /// The replica begins with the saved copy, or with ``ListCopy/empty``.
    case start(ListCopy)
    /// The request of this number was answered, or failed.
    case answered(Int, ReplicaAnswer, ResponseTiming)
    case timerFired(Int)
    case saved(Int)
    case saveFailed(Int, ReplicaError)
    case pause
    /// Continue after a pause or a failure, ask again when current, or end a wait.
    case resume
    case stop
  }

  /// Time and randomness at the answer to a request.
  public struct ResponseTiming: Equatable, Sendable {
    /// The time since the request was sent.
    public let elapsedSeconds: Double
    /// A random number from 0 up to, not including, 1.
    public let random: Double

    public init(elapsedSeconds: Double, random: Double) {
      self.elapsedSeconds = elapsedSeconds
      self.random = random
    }
  }

  public enum Effect: Equatable, Sendable {
    /// Send a request, and pass on its answer or failure with its number.
    case send(ReplicaRequest)
    /// Cancel the request of this number; its answer no longer counts.
    case cancel(Int)
    case setTimer(Int, seconds: Double)
    case cancelTimer(Int)
    /// Save list and cursor after a step together.
    case save(Int, ReplicaStep)
    /// Publish a step, which is verified and saved.
    case show(ReplicaStep)
  }
}
