public import ListChanges

public struct Park: Identifiable, Equatable, Sendable {
  public let id: String
  public var rating: Int

  public init(_ id: String, rating: Int = 0) { (self.id, self.rating) = (id, rating) }

  /// The text of its cell.
  public var label: String { "\(id) \(rating)" }
}

public struct Region: Identifiable, Equatable, Sendable {
  public let id: String

  public init(_ id: String) { self.id = id }
}

public typealias Parks = [ListSection<Region, Park>]
