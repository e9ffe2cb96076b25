import ListChangesTesting
import ListModel
import SyncClient

/// A client's process and what outlives it: the real machine over real storage, a view that shows
/// what it hands out, and what befell it.
final class SimulatedClient {
  let index: Int
  let list: ListName
  let options: ReplicaMachine.Options
  let place: ReplicaPlace
  var meter: RequestMeter

  /// Counts the processes; what was under way for an earlier one is lost.
  var life = 0
  /// Nil while no process runs.
  var machine: ReplicaMachine?
  /// Why the last process could not begin.
  var refusal: ReplicaError?
  /// What is known to be saved, and what may be in its place after a death in a save.
  var saved = ListCopy.empty
  var perhapsSaved: ListCopy?
  var pendingSave: (number: Int, step: ReplicaStep)?
  /// What the process has shown, and the view that did as it was told.
  var shown = ListCopy.empty
  var view = CollectionViewSimulator<Item>(showing: [[]])

  var requestCount = 0
  /// The number of the request that is waited for.
  var outstanding: Int?
  /// What is to befall the next save.
  var savePlan: ClientDeed?
  var isFileDamaged = false

  /// The statuses of answers since it began anew.
  var statuses: Set<Int> = []
  /// False answers since the last changes that held, or since it began anew.
  var falseCount = 0
  /// Answers of which nothing could be read, since the same.
  var damagedCount = 0
  var hadFalseAnswer = false
  /// Whether the answer that is being taken may be false.
  var isAnswerFalse = false
  /// Whether its cursor may not be the list's own, which no checksum proves.
  var isCursorSuspect = false
  var hadSaveFault = false

  init(
    _ index: Int, _ list: ListName, _ options: ReplicaMachine.Options, _ kind: ReplicaPlace.Kind
  ) throws {
    self.index = index
    self.list = list
    self.options = options
    place = try ReplicaPlace(kind, list)
    meter = RequestMeter(options.retry)
  }

  /// What befell it before no longer explains a failure.
  func beginAnew(at now: Double) {
    meter.begin(at: now)
    (statuses, hadSaveFault) = ([], false)
    (falseCount, damagedCount) = (0, 0)
  }

  /// Whether it has, shows and has saved exactly a version.
  func isAt(_ cursor: Cursor, _ snapshot: Snapshot) -> Bool {
    guard let copy = machine?.copy else { return false }
    return copy.cursor == cursor && copy.snapshot == snapshot && shown == copy && saved == copy
      && view.displayed == [snapshot.items]
  }

  var failure: ReplicaError? {
    if case .failed(let error) = machine?.state { error } else { refusal }
  }
}
