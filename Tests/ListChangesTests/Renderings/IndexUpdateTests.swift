import Foundation
import ListChangesTesting
import Testing

@testable import ListChanges

@Suite struct IndexUpdateTests {
  @Test(arguments: [
    ("AGYZ", "GZ", IndexUpdate(deletions: [0, 2])),
    ("GZ", "AGYZ", IndexUpdate(insertions: [0, 2])),
    ("ASYZ", "AS'YZ", IndexUpdate(reloads: [1])),
    ("ASYZ", "ZGS'YA", IndexUpdate(insertions: [0, 1, 4], deletions: [0, 3], reloads: [1])),
    ("", "", IndexUpdate()),
    ("", "AB", IndexUpdate(insertions: [0, 1])),
    ("AB", "", IndexUpdate(deletions: [0, 1])),
    ("ABC", "BCA'", IndexUpdate(insertions: [2], deletions: [0])),
  ])
  func indexUpdateMatchesTheCasesOfArrayUpdater(old: String, new: String, expected: IndexUpdate)
    throws
  {
    #expect(try Pair.list(old).changes(to: Pair.list(new)).indexUpdate() == expected)
  }

  @Test func indexUpdateMatchesTheReadmeExampleOfArrayUpdater() throws {
    let old = [
      Park(id: "NPS01", name: "Arches"), Park(id: "NPS03", name: "Great Smoky Mountains"),
      Park(id: "NPS04", name: "Yosemite"), Park(id: "NPS05", name: "Zion"),
    ]
    let new = [
      Park(id: "NPS05", name: "Zion"), Park(id: "NPS02", name: "Grand Canyon"),
      Park(id: "NPS03", name: "Great Smokies"), Park(id: "NPS04", name: "Yosemite"),
      Park(id: "NPS01", name: "Arches"),
    ]
    let update = try old.changes(to: new).indexUpdate()
    #expect(update.reloads == [1])
    #expect(update.deletions == [0, 3])
    #expect(update.insertions == [0, 1, 4])
    #expect(update.reloads.indexPaths(inSection: 2) == [IndexPath(indexes: [2, 1])])
  }

  @Test func hasChangesExactlyWhenTheListsDiffer() throws {
    #expect(!IndexUpdate().hasChanges)
    for update in [
      IndexUpdate(insertions: [0]), IndexUpdate(deletions: [0]), IndexUpdate(reloads: [0]),
    ] {
      #expect(update.hasChanges)
    }
    for pair in ListPair.smallAndRandom() {
      let update = try pair.changes().indexUpdate()
      #expect(update.hasChanges == (pair.old != pair.new), "\(pair)")
    }
  }

  @Test func viewAcceptsTheIndexUpdateAsOneBatch() throws {
    for pair in ListPair.smallAndRandom() {
      var view = CollectionViewSimulator(showing: pair.old)
      let update = try pair.changes().indexUpdate()
      try view.performBatchUpdates(update.batchUpdates, showing: pair.new)
      #expect(view.displayed == [pair.new], "\(pair)")
    }
  }

  @Test func indexUpdateMatchesTheTableOfCommonSubsequences() throws {
    for pair in ListPair.smallAndRandom() {
      let update = try pair.changes().indexUpdate()
      #expect(update == updateByTable(pair.old, pair.new), "\(pair)")
    }
  }

  @Test func inverseUndoesTheUpdateAndInvertsBackToIt() throws {
    for pair in ListPair.smallAndRandom() {
      let update = try pair.changes().indexUpdate()
      #expect(update.inverse.inverse == update, "\(pair)")
      var view = CollectionViewSimulator(showing: pair.new)
      try view.performBatchUpdates(update.inverse.batchUpdates, showing: pair.old)
      #expect(view.displayed == [pair.old], "\(pair)")
    }
  }

  @Test func inverseOfTheReadmeExampleReloadsTheItemAtItsNewIndex() {
    let update = IndexUpdate(insertions: [0, 1, 4], deletions: [0, 3], reloads: [1])
    #expect(
      update.inverse == IndexUpdate(insertions: [0, 3], deletions: [0, 1, 4], reloads: [2]))
  }

  @Test func initializerSortsIndexesAndDropsDuplicates() {
    let update = IndexUpdate(insertions: [4, 0, 4], deletions: [3, 0], reloads: [2, 1, 1])
    #expect(update == IndexUpdate(insertions: [0, 4], deletions: [0, 3], reloads: [1, 2]))
  }
}

private struct Park: Identifiable, Equatable, Sendable {
  let id: String
  let name: String
}

/// The table of longest common subsequences, read from the ends like ArrayUpdater 1.3.0 does: an
/// insertion if that loses nothing, else a deletion, else a common item.
func updateByTable(_ old: [Pair], _ new: [Pair]) -> IndexUpdate {
  var length = Array(
    repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
  for i in old.indices {
    for j in new.indices {
      length[i + 1][j + 1] =
        old[i].id == new[j].id ? length[i][j] + 1 : max(length[i][j + 1], length[i + 1][j])
    }
  }
  var (i, j) = (old.count, new.count)
  var (insertions, deletions, reloads): ([Int], [Int], [Int]) = ([], [], [])
  while i > 0 || j > 0 {
    if j > 0, length[i][j] == length[i][j - 1] {
      j -= 1
      insertions.append(j)
    } else if i > 0, length[i][j] == length[i - 1][j] {
      i -= 1
      deletions.append(i)
    } else {
      (i, j) = (i - 1, j - 1)
      if old[i] != new[j] { reloads.append(i) }
    }
  }
  return IndexUpdate(insertions: insertions, deletions: deletions, reloads: reloads)
}
