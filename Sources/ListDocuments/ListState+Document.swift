import ListModel

extension JSONWriter {
  /// A state of a list: cursor and version if there are any, count and root.
  public mutating func member(_ name: String, _ state: ListState) {
    object(name) { $0.members(of: state) }
  }

  /// - Parameter note: the note of the version; nil to leave it out.
  package mutating func members(of state: ListState, note: CommitNote? = nil) {
    if let cursor = state.cursor {
      member("cursor", cursor.description)
      member("version", cursor.version.number)
    }
    if let note { members(of: note) }
    member("count", state.count)
    member("root", state.root.description)
  }

  package mutating func members(of note: CommitNote) {
    member("committed_at", note.time.description)
    member("author", note.author)
    member("message", note.message)
  }

  /// A state with the header that proves it, if it has one.
  package mutating func members(proving state: ListState) {
    members(of: state, note: state.header?.note)
    if let header = state.header { member("previous", header.previous.hex) }
  }

  package mutating func members(of record: VersionRecord) {
    members(proving: record.state)
    member("changes", record.changes)
  }

  package mutating func member(_ name: String, _ counts: ChangeCounts) {
    object(name) { writer in
      writer.member("removed", counts.removed)
      writer.member("moved", counts.moved)
      writer.member("inserted", counts.inserted)
      writer.member("updated", counts.updated)
    }
  }
}

extension ListState {
  /// The state as JSON text, with the header that proves it.
  package var document: String {
    String(decoding: JSONWriter.object { $0.members(proving: self) }, as: UTF8.self)
  }

  /// Reads the state of a version of a store; nil for another text, and for a state that its header
  /// does not prove.
  package init?(document: String) {
    guard let content = try? Content(json: document) else { return nil }
    do throws(DocumentField.Malformed) {
      self = try DocumentField(content, limits: .none).provenState()
    } catch {
      return nil
    }
  }
  /// Reads a state that need not be proved, nor be of a store; nil for another text.
  package init?(unprovenDocument document: String) {
    guard let content = try? Content(json: document) else { return nil }
    do throws(DocumentField.Malformed) {
      self = try DocumentField(content, limits: .none).state()
    } catch {
      return nil
    }
  }
}
