import Foundation

/// One of the real lists beside the checkout: its versions, and the counts of an independent
/// program.
public struct RealList: Sendable, CustomStringConvertible {
  public struct Truth: Decodable, Sendable {
    public struct Version: Decodable, Sendable {
      public let version: Int
      public let file: String
      public let status: String
      public let items: Int
      public let idsDigest: String?
      public let duplicateCount: Int?
      public let missingCount: Int?

      enum CodingKeys: String, CodingKey {
        case version, file, status, items
        case idsDigest = "ids_sha256"
        case duplicateCount = "duplicate_items"
        case missingCount = "missing_ids"
      }
    }

    public struct Pair: Decodable, Sendable {
      public let from: Int
      public let to: Int
      public let policy: String?
      public let removed: Int
      public let inserted: Int
      public let updated: Int
      public let moved: Int
    }

    public let versions: [Version]
    public let pairs: [Pair]
  }

  public struct Spec: Decodable, Sendable {
    public let format: String
    public let id: [String]
  }

  public let name: String

  public static let several = [
    "gov-domains", "movies-top250", "movies-wikipedia", "parks-world", "regions",
  ].map(RealList.init)
  public static let single = ["nps-campgrounds", "nps-parks", "nps-places"].map(RealList.init)

  public static let areThere = Shared.has("data/regions/truth.json")
  public static let skipNote = "skipped: the real lists are not beside the checkout"

  public var description: String { name }

  public func truth() throws -> Truth {
    try JSONDecoder().decode(Truth.self, from: Shared.data("data/\(name)/truth.json"))
  }

  /// The truth of the versions that tests commit: of all of them in the long form of the campaigns,
  /// else of the first ones, with 12,000 items together, but two at least.
  public func shareOfTruth() throws -> Truth {
    let truth = try truth()
    guard !Campaign.isLong else { return truth }
    var (versions, itemCount) = (truth.versions.prefix(0), 0)
    for version in truth.versions {
      itemCount += version.items
      guard versions.count < 2 || itemCount <= 12_000 else { break }
      versions = truth.versions.prefix(versions.count + 1)
    }
    return Truth(
      versions: Array(versions), pairs: truth.pairs.filter { max($0.from, $0.to) <= versions.count }
    )
  }

  public func spec() throws -> Spec {
    try JSONDecoder().decode(Spec.self, from: Shared.data("data/\(name)/spec.json"))
  }

  /// Unpacks the versions, passes their folder to a closure, and removes it.
  public func withVersions<Result>(
    _ body: (_ folder: URL) async throws -> Result
  ) async throws -> Result {
    let folder = try Shared.unpack("data/\(name)/versions.tar.xz")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appendingPathComponent("versions"))
  }
}
