import TestSupport

/// A generated list of parks, the same for the same seed and the same edits.
///
/// The parks are in random order of their ids, as in a list that is sorted by something else.
public struct ParkList: Sendable {
  public private(set) var parks: [Park]
  public let contents: ParkContents
  private var nextNumber: Int
  private var random: SeededRandom

  /// - Parameter descriptionByteCount: how long a text every content carries; 0 for none, which
  ///   makes contents of about 114 bytes.
  public init(count: Int, seed: UInt64, descriptionByteCount: Int = 0) {
    random = SeededRandom(seed: seed)
    contents = ParkContents(seed: seed, descriptionByteCount: descriptionByteCount)
    parks = (0..<count).map { Park(number: $0) }.shuffled(using: &random)
    nextNumber = count
  }

  public func content(of park: Park) -> [UInt8] {
    var bytes: [UInt8] = []
    contents.append(park, to: &bytes)
    return bytes
  }

  /// Updates, removes, inserts and moves parks at random places.
  ///
  /// No park is touched twice, and of a few moves among many parks hardly any ends where it
  /// began: the change set of the edit has as many changes as the mix, or a few less.
  ///
  /// - Returns: the parks whose contents the edit wrote: those updated and those inserted.
  /// - Precondition: The list holds as many parks as the mix touches.
  /// - Complexity: O(n + d log d) for n parks and d edits.
  @discardableResult
  public mutating func edit(_ mix: EditMix) -> [Park] {
    var touched = Set<Int>()
    precondition(mix.touchedCount <= parks.count, "the mix touches more parks than there are")
    while touched.count < mix.touchedCount {
      touched.insert(Int.random(in: 0..<parks.count, using: &random))
    }
    let places = touched.sorted().shuffled(using: &random)
    for place in places.prefix(mix.updates) { parks[place].edition += 1 }
    let updated = places.prefix(mix.updates).map { parks[$0] }
    let movedPlaces = places.dropFirst(mix.updates).prefix(mix.moves)
    let moved = movedPlaces.map { parks[$0] }
    let removed = places.dropFirst(mix.updates)
    remove(at: removed.sorted())
    let inserted = (0..<mix.insertions).map { Park(number: nextNumber + $0) }
    nextNumber += mix.insertions
    insert((moved + inserted).shuffled(using: &random))
    return updated + inserted
  }

  /// A copy with edits of its own: no two branches of a list insert the same parks.
  ///
  /// - Precondition: A branch inserts at most 10,000 parks.
  /// - Parameter number: 1 or more, another for each branch.
  public func branch(_ number: Int) -> ParkList {
    var branch = self
    branch.random = SeededRandom(seed: UInt64(number))
    branch.nextNumber += number * 10_000
    return branch
  }

  /// Updates one park.
  ///
  /// - Precondition: It is in the list.
  /// - Complexity: O(n) for n parks.
  public mutating func update(number: Int) {
    guard let place = parks.firstIndex(where: { $0.number == number }) else {
      preconditionFailure("there is no park of number \(number)")
    }
    parks[place].edition += 1
  }

  /// - Parameter places: ascending.
  private mutating func remove(at places: [Int]) {
    guard let first = places.first else { return }
    var kept = first
    var next = places.startIndex
    for place in first..<parks.count {
      if next < places.endIndex, places[next] == place {
        next += 1
      } else {
        parks[kept] = parks[place]
        kept += 1
      }
    }
    parks.removeSubrange(kept...)
  }

  /// Puts parks at random places of the list that results.
  private mutating func insert(_ fresh: [Park]) {
    guard !fresh.isEmpty else { return }
    let count = parks.count + fresh.count
    var places = Set<Int>()
    while places.count < fresh.count {
      places.insert(Int.random(in: 0..<count, using: &random))
    }
    var result: [Park] = []
    result.reserveCapacity(count)
    var old = parks.startIndex
    for (place, park) in zip(places.sorted(), fresh) {
      let keptCount = place - result.count
      result.append(contentsOf: parks[old..<old + keptCount])
      old += keptCount
      result.append(park)
    }
    result.append(contentsOf: parks[old...])
    parks = result
  }
}

/// How many edits of each kind are made at once.
public struct EditMix: Hashable, Sendable {
  public var updates: Int
  public var moves: Int
  public var removals: Int
  public var insertions: Int

  public init(updates: Int = 0, moves: Int = 0, removals: Int = 0, insertions: Int = 0) {
    self.updates = updates
    self.moves = moves
    self.removals = removals
    self.insertions = insertions
  }

  /// As a list of parks is kept up: mostly updates, as many insertions as removals, a few moves.
  public static func typical(changes count: Int) -> EditMix {
    let (added, moved) = (count / 5, count / 10)
    return EditMix(
      updates: count - 2 * added - moved, moves: moved, removals: added, insertions: added)
  }

  /// The parks that the edits start from: all but those inserted.
  var touchedCount: Int { updates + moves + removals }

  public var changeCount: Int { touchedCount + insertions }
}
