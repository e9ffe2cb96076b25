import ListChanges

extension ChangeSet {
  /// Turns values of the old list's items into values of the new list's items. `applying(_:)` makes
  /// items; this makes values of new and updated ones only, such as decoded elements.
  ///
  /// - Parameters:
  ///   - values: a value for each item of the old list, in order.
  ///   - arrival: the value of a new item.
  ///   - update: the value of an item with new content.
  /// - Complexity: O(n + d log d) for d changes; O(d) values are made.
  func carrying<Value>(
    _ values: [Value], arrival: (Insertion) throws -> Value,
    update: (Update, _ old: Value) throws -> Value
  ) rethrows -> [Value] {
    precondition(values.count == oldCount, "there is a value for each item of the old list")
    var result: [Value] = []
    result.reserveCapacity(newCount)
    var inserted = inserted[...]
    for run in Alignment(of: self).runs {
      while result.count < run.new { result.append(try arrival(inserted.removeFirst())) }
      result.append(contentsOf: values[run.old..<run.old + run.count])
    }
    while let insertion = inserted.popFirst() { result.append(try arrival(insertion)) }
    for change in updated { result[change.to] = try update(change, values[change.from]) }
    return result
  }
}
