import ListChanges

extension ChangeSet {
  /// Carries a list of values that goes beside the old list over to the new one: a value for each
  /// item, in the same order.
  ///
  /// - Parameters:
  ///   - arrival: the value of an item that is new.
  ///   - update: the value of an item whose content is another.
  /// - Precondition: There are as many values as the old list has items.
  /// - Complexity: O(n + d log d), and a value made for what is new or another alone.
  func carrying<Value>(
    _ values: [Value], arrival: (Insertion) throws -> Value,
    update: (Update, _ old: Value) throws -> Value
  ) rethrows -> [Value] {
    precondition(values.count == oldCount, "there is a value for each item of the old list")
    var result: [Value] = []
    result.reserveCapacity(newCount)
    var inserted = inserted[...]
    for run in matchedRuns {
      while result.count < run.new { result.append(try arrival(inserted.removeFirst())) }
      result.append(contentsOf: values[run.old..<run.old + run.count])
    }
    while let insertion = inserted.popFirst() { result.append(try arrival(insertion)) }
    for change in updated { result[change.to] = try update(change, values[change.from]) }
    return result
  }
}
