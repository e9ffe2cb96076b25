/// Computes a root from items that come one after the other. Needs memory for some groups, not for
/// the list.
package struct RootBuilder {
  private var hasher = ItemHasher()
  private var items: [TreeHash] = []
  /// From level 1 on: how many groups the level has, and those that are not in a group yet.
  private var levels: [(count: Int, open: [RootNode])] = []

  package init() {}

  package mutating func append(_ item: Item) {
    items.append(hasher.hash(item))
    if items[items.count - 1].ends(groupOf: items.count) { closeItems() }
  }

  private mutating func closeItems() {
    append(RootNode(items: items))
    items = []
  }

  private mutating func append(_ group: RootNode) {
    if levels.count < group.level { levels.append((0, [])) }
    levels[group.level - 1].count += 1
    // Without what is below it.
    levels[group.level - 1].open.append(
      RootNode(level: group.level, itemCount: group.itemCount, hash: group.hash))
    if group.hash.ends(groupOf: levels[group.level - 1].open.count) { close(group.level) }
  }

  private mutating func close(_ level: Int) {
    let groups = levels[level - 1].open
    levels[level - 1].open = []
    append(RootNode(groups: groups, level: level + 1))
  }

  /// The root of the items so far.
  package var root: Root {
    var builder = self
    if !items.isEmpty || levels.isEmpty { builder.closeItems() }
    var level = 1
    while builder.levels[level - 1].count > 1 {
      if !builder.levels[level - 1].open.isEmpty { builder.close(level) }
      level += 1
    }
    return Root(builder.levels[level - 1].open[0].hash)
  }
}
