extension ChangeSet {
  /// This change set as one operation of JSON Patch for each change: removes descending, moves and
  /// adds ascending by where they end, then replaces at new indexes. The steps are those of
  /// ``sequentialSteps()``: each moved item is put directly behind the one that precedes it in the
  /// end.
  ///
  /// - Complexity: O(d log d) for d changes.
  public func jsonPatch() -> JSONPatch<Element> {
    var operations: [JSONPatch<Element>.Operation] = removed.reversed().map {
      .remove(at: $0.from)
    }
    operations += sequentialMoves().map { .move(from: $0.from, to: $0.to) }
    operations += inserted.map { .add($0.element, at: $0.to) }
    operations += updated.map { .replace($0.new, at: $0.to) }
    return JSONPatch(operations: operations)
  }
}
