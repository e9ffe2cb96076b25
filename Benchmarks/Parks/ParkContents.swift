/// The text of parks: canonical JSON, in part beyond ASCII.
public struct ParkContents: Sendable {
  let seed: UInt64
  let descriptionByteCount: Int

  /// Appends the content of a park: members sorted, no white space.
  public func append(_ park: Park, to bytes: inout [UInt8]) {
    var dice = Dice(seed: seed, number: park.number)
    let designation = dice.pick(Self.designations)
    let established = 1872 + dice.roll(150)
    let name = dice.pick(Self.firstNames) + " " + dice.pick(Self.secondNames)
    let state = dice.pick(Self.states)
    let visitors = 1_000 + dice.roll(5_000_000) + park.edition * 137
    bytes.append(contentsOf: "{".utf8)
    if descriptionByteCount > 0 {
      bytes.append(contentsOf: "\"description\":\"".utf8)
      appendDescription(to: &bytes, &dice)
      bytes.append(contentsOf: "\",".utf8)
    }
    bytes.append(contentsOf: "\"designation\":\"\(designation)\",\"established\":".utf8)
    bytes.append(contentsOf: "\(established),\"id\":\"\(park.id)\",\"name\":\"".utf8)
    bytes.append(contentsOf: name.utf8)
    bytes.append(contentsOf: "\",\"state\":\"\(state)\",\"visitors\":\(visitors)}".utf8)
  }

  private func appendDescription(to bytes: inout [UInt8], _ dice: inout Dice) {
    let end = bytes.count + descriptionByteCount
    while bytes.count < end {
      bytes.append(contentsOf: dice.pick(Self.words).utf8)
      bytes.append(UInt8(ascii: " "))
    }
    bytes.removeLast()
  }

  private static let designations = ["NP", "NM", "NHS", "NRA", "NS", "NPres", "NMem", "NWR"]
  private static let states = [
    "AK", "AZ", "CA", "CO", "FL", "HI", "ME", "MT", "NM", "NV", "OR", "TX", "UT", "WA", "WY",
  ]
  private static let firstNames = [
    "Acadia", "Black", "Crater", "Deep", "El Niño", "Frozen", "Grand", "Hidden", "Île", "Kīlauea",
    "Lone", "Middle", "North", "Old", "Painted", "Red", "Silver", "Þing", "Upper", "White",
  ]
  private static let secondNames = [
    "Arches", "Basin", "Cañon", "Dunes", "Falls", "Forest", "Glacier", "Island", "Lake", "Meadows",
    "Mountain", "Prairie", "Río", "Shore", "Valley", "völlur",
  ]
  private static let words = [
    "the", "a", "river", "mountain", "trail", "visitors", "wildlife", "of", "and", "where", "rises",
    "ancient", "granite", "forest", "desert", "species", "canyon", "glacier", "protected", "since",
    "native", "people", "carved", "by", "water", "from", "rock", "habitat", "winter", "summer",
  ]
}

/// Draws that follow from a seed and a number alone (SplitMix64).
private struct Dice {
  private var state: UInt64

  init(seed: UInt64, number: Int) {
    state = seed &+ UInt64(bitPattern: Int64(number)) &* 0xd6e8_feb8_6659_fd93
  }

  mutating func roll(_ count: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ (mixed >> 31)) % UInt64(count))
  }

  mutating func pick(_ texts: [String]) -> String { texts[roll(texts.count)] }
}
