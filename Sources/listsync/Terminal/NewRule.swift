import ListChanges
import ListDocuments
import ListModel
import SyncService
import Synchronization

/// Notes whether a commit finds ids by another rule than the list remembers.
final class NewRule: Sendable {
  private let rules = Mutex<(rule: String, former: String)?>(nil)

  /// Passes requests on, and notes their rules. The last request is the one that is carried out.
  func noting(
    _ make: @escaping @Sendable (_ idRule: String?) throws -> CommitRequest
  ) -> @Sendable (_ idRule: String?) throws -> CommitRequest {
    { [self] remembered in
      let request = try make(remembered)
      rules.withLock { $0 = request.changedIDRule(of: remembered) }
      return request
    }
  }

  /// Tells of another rule, unless the list was empty.
  func tell(of list: ListName, _ changes: ChangeSet<Item>) {
    guard changes.oldCount > 0, let (rule, former) = rules.withLock(\.self) else { return }
    let (new, old) = (Self.words(rule), Self.words(former))
    Output.diagnostic("\(list): ids are found by \(new) from now on, and were found by \(old)")
  }

  private static func words(_ rule: String) -> String { IDRule(text: rule)?.words ?? rule }
}
