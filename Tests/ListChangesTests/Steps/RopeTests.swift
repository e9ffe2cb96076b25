import Foundation
import TestSupport
import Testing

@testable import ListChanges

@Suite struct RopeTests {
  @Test func ropeEqualsItsListOfNamesAfterEveryShortSequence() {
    for count in 0...3 {
      checkAllSequences(
        of: 4, on: Rope(count: count, nodeCapacity: 5), names: Array(0..<count), next: count + 1)
    }
  }

  @Test func ropeEqualsItsListOfNamesAfterLongRandomSequences() {
    var random = SeededRandom.forThisRun()
    for (round, capacity) in [5, 6, 8, 32, 5, 6, 8, 32].enumerated() {
      let count = round < 4 ? 50 : 0
      var rope = Rope(count: count, nodeCapacity: capacity)
      var names = Array(0..<count)
      for name in count + 1...count + 600 {
        if !names.isEmpty, Int.random(in: 0..<5, using: &random) < (name < 500 ? 2 : 4) {
          let index = Int.random(in: names.indices, using: &random)
          #expect(rope.remove(at: index) == names.remove(at: index), "seed \(random.seed)")
        } else {
          let index = Int.random(in: 0...names.count, using: &random)
          rope.insert(name, at: index)
          names.insert(name, at: index)
        }
        let matches = isList(names, rope)
        #expect(matches, "seed \(random.seed), round \(round), name \(name)")
        if !matches { return }
      }
    }
  }

  @Test func consecutiveNamesShareASegment() {
    var rope = Rope(count: 10, nodeCapacity: 5)
    for offset in 0..<1_000 { rope.insert(11 + offset, at: 5 + offset) }
    #expect(segments(of: rope).map { [$0.start, $0.count] } == [[0, 5], [11, 1_000], [5, 5]])
    #expect(rope.nodeCount == 1)
  }

  /// An operation visits at most the slots of one node on each level.
  @Test(arguments: [(0, "first"), (1, "last"), (2, "middle"), (3, "random"), (4, "spread")])
  func levelsGrowWithTheLogarithmOfTheOperations(place: Int, name: String) {
    var random = SeededRandom.forThisRun()
    let operationCount = 50_000
    var rope = Rope(count: 1_000_000)
    for operation in 0..<operationCount {
      let index =
        switch place {
        case 0: 0
        case 1: rope.count
        case 2: rope.count / 2
        case 3: Int.random(in: 0...rope.count, using: &random)
        default: operation * 7_919 % rope.count
        }
      // Odd names are never consecutive.
      rope.insert(1_000_001 + operation * 2, at: index)
      if operation % 3 == 0 { _ = rope.remove(at: operation * 104_729 % rope.count) }
    }
    // A half of a split node has 15 slots or more, and is split again after 7 operations or more.
    let leafCount = 1 + Double(operationCount * 4 / 3) / 7
    #expect(Double(rope.height) <= 1 + log(leafCount / 2) / log(15), "seed \(random.seed)")
  }

  @Test(arguments: [5, 6, 8, 32])
  func trackedNameIsFoundAfterAnyOperations(capacity: Int) {
    var random = SeededRandom.forThisRun()
    for count in [0, 3, 100] {
      var rope = Rope(count: count, nodeCapacity: capacity)
      var (names, tracked) = (Array(0..<count), Set<Int>())
      for index in stride(from: 0, to: count, by: 3) {
        rope.track(at: index)
        tracked.insert(index)
      }
      for name in count + 1...count + 400 {
        if !names.isEmpty, Int.random(in: 0..<5, using: &random) < 2 {
          let name = names.remove(at: Int.random(in: names.indices, using: &random))
          if tracked.remove(name) != nil, let index = rope.index(of: name) {
            #expect(rope.remove(at: index) == name)
          } else {
            #expect(rope.remove(at: rope.indexByWalking(to: name)) == name)
          }
          #expect(rope.index(of: name) == nil)
        } else {
          let index = Int.random(in: 0...names.count, using: &random)
          rope.insert(name, at: index, isTracked: true)
          names.insert(name, at: index)
          tracked.insert(name)
        }
        let isFound = names.indices.allSatisfy { index in
          rope.index(of: names[index]) == (tracked.contains(names[index]) ? index : nil)
        }
        #expect(isFound && isList(names, rope), "seed \(random.seed), name \(name)")
        if !isFound { return }
      }
    }
  }

  private func checkAllSequences(of length: Int, on rope: Rope, names: [Int], next: Int) {
    #expect(isList(names, rope))
    guard length > 0 else { return }
    for index in 0...names.count {
      var (longer, more) = (rope, names)
      longer.insert(next, at: index)
      more.insert(next, at: index)
      checkAllSequences(of: length - 1, on: longer, names: more, next: next + 1)
    }
    for index in names.indices {
      var (shorter, fewer) = (rope, names)
      #expect(shorter.remove(at: index) == fewer.remove(at: index))
      checkAllSequences(of: length - 1, on: shorter, names: fewer, next: next)
    }
  }

  private func isList(_ names: [Int], _ rope: Rope) -> Bool {
    rope.count == names.count && names.indices.allSatisfy { rope.name(at: $0) == names[$0] }
      && segments(of: rope).flatMap { Array($0.start..<$0.start + $0.count) } == names
  }

  private func segments(of rope: Rope) -> [(start: Int, count: Int)] {
    var segments: [(start: Int, count: Int)] = []
    rope.forEachSegment { segments.append(($0, $1)) }
    return segments
  }
}

extension Rope {
  fileprivate func indexByWalking(to name: Int) -> Int {
    var (index, found) = (0, -1)
    forEachSegment { start, count in
      if start <= name, name < start + count { found = index + name - start }
      index += count
    }
    return found
  }
}
