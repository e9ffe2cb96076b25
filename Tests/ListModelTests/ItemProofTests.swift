import ListModel
import TestSupport
import Testing

/// Proofs of single items: accepted for exactly the items of a list.
@Suite struct ItemProofTests {
  private static func items(_ count: Int) throws -> [Item] {
    try (0..<count).map { number in
      Item(id: ItemID("i\(number)"), content: try Content(json: #"{"n":\#(number)}"#))
    }
  }

  @Test(arguments: [1, 2, 3, 31, 32, 33, 34, 100, 257, 1200])
  func everyItemOfAListHasAProofThatLeadsToItsIndexAndRoot(count: Int) throws {
    let items = try Self.items(count)
    let tree = RootTree(of: items)
    for index in Set(stride(from: 0, to: count, by: max(1, count / 60))).union([count - 1]) {
      let place = try tree.proof(ofItemAt: index).place(of: items[index])
      #expect(place == (index, count, tree.root), "\(index)")
    }
  }

  @Test func proofIsRefusedForEveryOtherItem() throws {
    let items = try Self.items(100)
    let proof = RootTree(of: items).proof(ofItemAt: 40)
    let others =
      items.enumerated().filter { $0.offset != 40 }.map(\.element) + [
        Item(id: items[40].id, content: try Content(json: #"{"n":41}"#)),
        Item(id: "i400", content: items[40].content),
      ]
    for item in others {
      #expect(throws: ItemProof.Contradiction.element(level: 1)) { try proof.place(of: item) }
    }
  }

  /// Whoever made the proof, another index needs other counts, and these other hashes.
  @Test func noChangedNumberGivesAnotherIndexWithTheRoot() throws {
    let items = try Self.items(1200)
    let tree = RootTree(of: items)
    for index in [0, 500, 1199] {
      let proof = tree.proof(ofItemAt: index)
      #expect(proof.path.count > 2)
      var count = 0
      for changed in proof.withChangedNumbers {
        count += 1
        guard let place = try? changed.place(of: items[index]) else { continue }
        // On level 1, the side of no neighbors says nothing.
        #expect(place.root != tree.root || place == (index, 1200, tree.root))
      }
      #expect(count > 10)
    }
  }
}

extension ItemProof {
  /// The proof with each of its numbers changed by one, one at a time, and its sides exchanged.
  fileprivate var withChangedNumbers: [ItemProof] {
    path.indices.flatMap { level in
      path[level].changed.map { step in
        var path = path
        path[level] = step
        return ItemProof(path: path)
      }
    } + [ItemProof(path: Array(path.dropLast())), ItemProof(path: Array(path.dropFirst()))]
  }
}

extension ItemProof.Step {
  fileprivate var changed: [ItemProof.Step] {
    func step(
      count: Int? = nil, position: Int? = nil, _ neighbors: [ItemProof.Group]? = nil,
      areBefore: Bool? = nil
    ) -> ItemProof.Step {
      ItemProof.Step(
        group: .init(itemCount: count ?? group.itemCount, hashes: group.hashes),
        position: position ?? self.position, neighbors: neighbors ?? self.neighbors,
        neighborsAreBefore: areBefore ?? neighborsAreBefore)
    }
    let others = neighbors.indices.map { index in
      var neighbors = neighbors
      let old = neighbors[index]
      neighbors[index] = .init(itemCount: old.itemCount + 1, hashes: old.hashes)
      return neighbors
    }
    return [
      step(count: group.itemCount + 1), step(count: group.itemCount - 1), step(count: .max),
      step(position: position + 1), step(position: position - 1),
      step(Array(neighbors.dropLast())), step(neighbors + neighbors.prefix(1)),
      step(areBefore: !neighborsAreBefore),
    ].filter { $0 != self } + others.map { step($0) }
  }
}
