import ListModel
import ListStore

/// Texts are the same when their bytes are: Swift's own equality is canonical equivalence, which
/// would take a member named with a composed "é" for one with a decomposed "é".
extension ListRecord {
  func remembers(idRule: String) -> Bool { self.idRule.isSame(as: idRule) }
}

extension String? {
  func isSame(as other: String?) -> Bool { map { Array($0.utf8) } == other.map { Array($0.utf8) } }
}
