import ListModel
import ListStore

extension ListWriter {
  /// Stores the rule by which ids are found in a list's snapshot files, unless it is nil or known.
  func setIDRule(_ idRule: String?, of list: ListRecord) throws {
    if let idRule, !list.idRule.hasSameBytes(as: idRule) { try setIDRule(idRule, of: list.key) }
  }
}

extension String? {
  /// Swift's own equality is canonical equivalence: a composed "é" equals a decomposed one.
  func hasSameBytes(as other: String?) -> Bool {
    map { Array($0.utf8) } == other.map { Array($0.utf8) }
  }
}
