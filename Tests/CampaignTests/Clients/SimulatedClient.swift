import ListChangesTesting
import ListModel
import SyncClient

/// A client's process and its lasting state: the real machine over real storage, a view that shows
/// the machine's updates, and a record of faults.
final class SimulatedClient {
  let index: Int
  let list: ListName
  let options: ReplicaMachine.Options
  let place: ReplicaPlace
  var meter: RequestMeter

  /// The number of the process; pending work of an earlier process is lost.
  var life = 0
  /// Nil while no process runs.
  var machine: ReplicaMachine?
  /// The reason why the last process could not begin.
  var refusal: ReplicaError?
  /// The copy known to be saved, and the one that may replace it after a death in a save.
  var saved = ListCopy.empty
  var perhapsSaved: ListCopy?
  var pendingSave: (number: Int, step: ReplicaStep)?
  /// The copy that the process has shown, and the view that followed its updates.
  var shown = ListCopy.empty
  var view = CollectionViewSimulator<Item>(showing: [[]])

  var requestCount = 0
  /// The number of the outstanding request.
  var outstanding: Int?
  /// The fault planned for the next save.
  var savePlan: ClientDeed?
  var isFileDamaged = false

  /// The statuses of answers since the last new beginning.
  var statuses: Set<Int> = []
  /// False answers since the last changes that fitted, or since the last new beginning.
  var falseCount = 0
  /// Unreadable answers since the same moment.
  var damagedCount = 0
  var hadFalseAnswer = false
  /// Whether the answer being processed may be false.
  var isAnswerFalse = false
  /// Whether its cursor may not be the list's own; no root covers it.
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

  /// Earlier faults no longer explain a failure.
  func beginAnew(at now: Double) {
    meter.begin(at: now)
    (statuses, hadSaveFault) = ([], false)
    (falseCount, damagedCount) = (0, 0)
  }

  /// Whether the client has, shows and has saved exactly a version.
  func isAt(_ cursor: Cursor, _ snapshot: Snapshot) -> Bool {
    guard let copy = machine?.copy else { return false }
    return copy.cursor == cursor && copy.snapshot == snapshot && shown == copy && saved == copy
      && view.displayed == [snapshot.items]
  }

  var failure: ReplicaError? {
    if case .failed(let error) = machine?.state { error } else { refusal }
  }
}
