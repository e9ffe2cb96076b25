import ListChanges
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite struct OrderPartsTests {
  private struct Number: Identifiable, Equatable {
    let id: Int64
  }

  /// Applying the difference to the stored parts gives the new order.
  @Test func partsHoldTheNewOrderAfterAnyChangeAndTheDifferenceGivesIt() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<40 {
      var order = OrderParts()
      var nextNumber: Int64 = 1
      var stored: [Int64: [Int64]] = [:]
      for _ in 0..<8 {
        let old = order.keys
        let new = Self.changed(old, using: &random)
        let changes = try old.map(Number.init).changes(to: new.map(Number.init))
        let difference = order.apply(changes, keys: new) {
          nextNumber += 1
          return nextNumber
        }
        for part in difference.removed { stored[part] = nil }
        for part in difference.written { stored[part.number] = part.keys }
        #expect(order.keys == new, "seed \(random.seed)")
        #expect(
          stored == Dictionary(uniqueKeysWithValues: order.parts.map { ($0.number, $0.keys) }))
        let sizes = order.parts.map(\.keys.count)
        #expect(sizes.allSatisfy { (1...2 * OrderParts.standardCount).contains($0) })
      }
    }
  }

  /// A list of some old items in some order and some new ones.
  private static func changed(_ old: [Int64], using random: inout SeededRandom) -> [Int64] {
    var new = old
    switch random.number(1...6) {
    case 1: new.removeAll()
    case 2: new.shuffle(using: &random)
    case 3: new.removeFirst(random.number(0...new.count))
    default: break
    }
    let first = Int64.random(in: 1...(.max / 2), using: &random)
    for offset in 0..<Int64(random.size(upTo: 1500)) {
      new.insert(first + offset, at: random.number(0...new.count))
    }
    for _ in 0..<random.number(0...5) where new.count > 1 {
      new.insert(new.remove(at: random.number(0...new.count - 1)), at: random.number(0...new.count))
    }
    return new
  }

  @Test func fewChangesOfALongListWriteFewParts() throws {
    var random = SeededRandom.forThisRun()
    let old = (1...20_000).map(Int64.init)
    var order = OrderParts()
    var nextNumber: Int64 = 100_000
    func apply(_ old: [Int64], _ new: [Int64]) throws -> OrderParts.Difference {
      order.apply(try old.map(Number.init).changes(to: new.map(Number.init)), keys: new) {
        nextNumber += 1
        return nextNumber
      }
    }
    _ = try apply([], old)
    var new = old
    for _ in 0..<5 {
      new.insert(new.remove(at: random.number(0...new.count - 1)), at: random.number(0...new.count))
      new.insert(Int64.random(in: 1_000_000...(.max), using: &random), at: new.count / 2)
    }
    let difference = try apply(old, new)
    #expect(order.keys == new)
    #expect(difference.written.count + difference.removed.count <= 15)
    #expect(!difference.isOrderChanged)
  }
}
