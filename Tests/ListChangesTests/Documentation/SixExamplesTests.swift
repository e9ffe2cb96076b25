import ListChanges
import ListChangesTesting
import Testing

/// The Swift of `SixExamples.md`. A list of five is changed in six ways, each shown by a simulated
/// collection view.
@Suite struct SixExamplesTests {
  // snippet: parks-and-movies
  struct Park: Identifiable, Equatable {
    let name: String
    var rating = 4
    var id: String { name }
  }

  struct Movie: Identifiable, Equatable {
    let title: String
    var id: String { title }
  }

  let fiveParks = ["Arches", "Bryce Canyon", "Congaree", "Denali", "Everglades"]
    .map { Park(name: $0) }
  let fiveMovies = ["Alien", "Brazil", "Casablanca", "Duel", "Eraserhead"]
    .map { Movie(title: $0) }
  // end

  @Test func example1InsertsThreeAtTheEnd() throws {
    // snippet: example-1
    var parks = fiveParks
    parks += ["Saguaro", "Yosemite", "Zion"].map { Park(name: $0) }

    let batch = try fiveParks.changes(to: parks).batchUpdates()
    #expect(batch == BatchUpdates(inserted: [5, 6, 7]))

    var view = CollectionViewSimulator(showing: fiveParks)
    try view.performBatchUpdates(batch, showing: parks)
    #expect(view.displayed == [parks])
    // end
  }

  @Test func example2DeletesThreeAtTheEnd() throws {
    // snippet: example-2
    var movies = fiveMovies
    movies.removeLast(3)

    let batch = try fiveMovies.changes(to: movies).batchUpdates()
    #expect(batch == BatchUpdates(deleted: [2, 3, 4]))

    var view = CollectionViewSimulator(showing: fiveMovies)
    try view.performBatchUpdates(batch, showing: movies)
    #expect(view.displayed == [movies])
    // end
  }

  @Test func example3UpdatesTheItemAt2() throws {
    // snippet: example-3
    var parks = fiveParks
    parks[2].rating = 5

    let batch = try fiveParks.changes(to: parks).batchUpdates()
    #expect(batch == BatchUpdates(reloaded: [2]))

    var view = CollectionViewSimulator(showing: fiveParks)
    try view.performBatchUpdates(batch, showing: parks)
    #expect(view.displayed == [parks])
    // end
  }

  @Test func example4MovesCToTheEnd() throws {
    // snippet: example-4
    var movies = fiveMovies
    movies.append(movies.remove(at: 2))

    let batch = try fiveMovies.changes(to: movies).batchUpdates()
    #expect(batch == BatchUpdates(moved: [IndexMove(from: 2, to: 4)]))

    var view = CollectionViewSimulator(showing: fiveMovies)
    try view.performBatchUpdates(batch, showing: movies)
    #expect(view.displayed == [movies])
    // end
  }

  @Test func example5DeletesThreeAtTheStartThenInsertsThreeAtTheEnd() throws {
    // snippet: example-5
    var parks = fiveParks
    parks.removeFirst(3)
    parks += ["Saguaro", "Yosemite", "Zion"].map { Park(name: $0) }

    let batch = try fiveParks.changes(to: parks).batchUpdates()
    #expect(batch == BatchUpdates(deleted: [0, 1, 2], inserted: [2, 3, 4]))

    var view = CollectionViewSimulator(showing: fiveParks)
    try view.performBatchUpdates(batch, showing: parks)
    #expect(view.displayed == [parks])
    // end
  }

  @Test func example6InsertsThreeAtTheEndThenDeletesThreeAtTheStart() throws {
    // snippet: example-6
    var movies = fiveMovies
    movies += ["Spellbound", "Yojimbo", "Zodiac"].map { Movie(title: $0) }
    movies.removeFirst(3)

    let batch = try fiveMovies.changes(to: movies).batchUpdates()
    #expect(batch == BatchUpdates(deleted: [0, 1, 2], inserted: [2, 3, 4]))

    var view = CollectionViewSimulator(showing: fiveMovies)
    try view.performBatchUpdates(batch, showing: movies)
    #expect(view.displayed == [movies])
    // end
  }

  @Test func viewRefusesTheHandComputedIndexesOfExample6() throws {
    // snippet: example-6-by-hand
    var movies = fiveMovies
    let end = movies.count
    movies += ["Spellbound", "Yojimbo", "Zodiac"].map { Movie(title: $0) }
    let inserted = Array(end..<end + 3)
    movies.removeFirst(3)
    let byHand = BatchUpdates(deleted: [0, 1, 2], inserted: inserted)
    #expect(inserted == [5, 6, 7] && movies.count == 5)

    var view = CollectionViewSimulator(showing: fiveMovies)
    let place = BatchError.Place.item(.init(section: 0, item: 5))
    #expect(throws: BatchError.outOfRange(.insert, place)) {
      try view.performBatchUpdates(byHand, showing: movies)
    }
    #expect(view.displayed == [fiveMovies])
    // end
  }

  @Test func handComputedIndexesOfExample5AreCorrect() throws {
    // snippet: example-5-by-hand
    var parks = fiveParks
    parks.removeFirst(3)
    let end = parks.count
    parks += ["Saguaro", "Yosemite", "Zion"].map { Park(name: $0) }
    let byHand = BatchUpdates(deleted: [0, 1, 2], inserted: Array(end..<end + 3))
    #expect(try byHand == fiveParks.changes(to: parks).batchUpdates())
    // end
  }
}
