import ListModel
import ListStore
import SyncService

extension TwinList {
  /// A version that can be asked for.
  func answerable(_ version: Int) throws -> Int {
    if version > head {
      throw ServiceError.noSuchVersion(
        "\(version)", list: name, oldest: Version(oldest), head: Version(head))
    }
    if version > 0, version < oldest { throw tooOld("\(version)") }
    return version
  }

  /// The version that a revision names.
  package func version(of revision: Revision) throws -> Int {
    switch revision {
    case .head(let back):
      if back > head {
        throw ServiceError.noSuchVersion(
          revision.description, list: name, oldest: Version(oldest), head: Version(head))
      }
      return try answerable(head - back)
    case .version(let version):
      return try answerable(version.number)
    case .cursor(let cursor):
      let version = try answerable(min(cursor.version.number, head))
      if self.cursor(version) != cursor {
        throw ServiceError.diverged(cursor, list: name, here: self.cursor(version))
      }
      return version
    case .tag(let tag):
      guard let found = tags.first(where: { $0.name == tag }) else { throw noSuchTag(tag) }
      return found.version.number
    case .date(let date):
      // Of all that were committed by then the last one, whatever the clock did between them.
      if let last = kept.last(where: { record($0).note.time <= date.end }) { return last }
      if oldest > 1 { throw tooOld(revision.description) }
      throw ServiceError.noVersionAt(
        date.end, list: name, first: kept.first.map { record($0).note.time })
    }
  }

  func tooOld(_ text: String) -> ServiceError {
    .tooOld(text, list: name, oldest: Version(oldest), head: Version(head))
  }

  func noSuchTag(_ tag: TagName) -> ServiceError {
    .noSuchTag(tag, list: name, known: tags.map(\.name).sorted())
  }

  /// Whether the head, or another version, is what an author expects.
  func isMet(_ expected: [Revision], by version: Int) -> Bool {
    expected.isEmpty
      || expected.contains { revision in
        switch revision {
        case .version(let number): number.number == version
        case .cursor(let cursor): cursor == self.cursor(version)
        case .head(back: 0): true
        case .head, .date, .tag: false
        }
      }
  }

  /// Whether a version is in a state, as far as that names itself.
  func isState(_ version: Int, _ other: ListState) -> Bool {
    let state = state(version)
    return state.count == other.count && state.root == other.root
      && (other.cursor.map { $0 == state.cursor } ?? true)
  }
}
