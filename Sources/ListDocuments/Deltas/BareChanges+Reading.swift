import ListModel

extension BareChanges {
  /// How many arrays and objects lie around a content: the object with the four arrays, the array
  /// of its kind of change, and its change.
  static let contentDepth = 3
}

extension DocumentField {
  /// The four arrays of a change set, which are members of this object.
  func changes(oldCount: Int, newCount: Int) throws(Malformed) -> BareChanges {
    BareChanges(
      oldCount: oldCount, newCount: newCount,
      removed: try self["removed"].map { field throws(Malformed) in
        .init(id: try field["id"].id(), from: try field["from"].index())
      },
      moved: try self["moved"].map { field throws(Malformed) in
        .init(
          id: try field["id"].id(), from: try field["from"].index(), to: try field["to"].index())
      },
      inserted: try self["inserted"].map { field throws(Malformed) in
        .init(item: try field.item(), to: try field["to"].index())
      },
      updated: try self["updated"].map { field throws(Malformed) in
        .init(item: try field.item(), from: try field["from"].index(), to: try field["to"].index())
      })
  }
}
