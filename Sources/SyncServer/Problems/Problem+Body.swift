import Gzip
import ListDocuments
import ListModel

/// The problems of bodies, with the positions in them.
extension Problem {
  init(_ error: SnapshotError) {
    switch error {
    case .gzip:
      self = .unprocessable("the body is compressed; say so with Content-Encoding: gzip")
    case .emptyInput: self = .unprocessable("the body is empty; an empty list is written []")
    case .json(let error, let position): self = .unprocessable(error.asReason, at: [position])
    case .limit(let exceeded, let position):
      self = .tooLarge(exceeded, at: "\(position)", positions: [position])
    case .csv(let error, let position):
      self = .unprocessable("not CSV: \(error)", at: [position])
    case .noArray(let pointer, let found, let arrays):
      let places = arrays.prefix(20).map { "'\($0.description.shortened)'" }.joined(separator: ", ")
      self = .unprocessable(
        """
        '\(pointer)' is \(found ?? "absent"), not an array of items\
        \(places.isEmpty ? "" : "; arrays are at \(places): name one with items=")
        """)
    case .noIDColumn(let field, let columns):
      let names = columns.prefix(20).map { "'\($0.shortened)'" }.joined(separator: ", ")
      self = .unprocessable(
        "there is no column '\(field.shortened)'; there are \(names): name one with id=")
    case .noID(let samples, let count):
      self = .unprocessable(
        "\(count) of the items have no id; name the member with id=", at: samples.map(\.position))
    case .duplicateIDs(let samples, let count):
      let ids = samples.map { "'\($0.id.text.shortened)'" }.joined(separator: ", ")
      self = .unprocessable(
        "\(count) of the items repeat an id: \(ids)", at: samples.map(\.secondPosition))
    case .missingAndDuplicateIDs(let missing, let repeated):
      let (one, other) = (Problem(missing), Problem(repeated))
      self = .unprocessable(
        "\(one.detail); \(other.detail)", at: one.members.positions + other.members.positions)
    }
  }

  init(_ error: DeltaError) {
    switch error {
    case .json(let error, let position): self = .unprocessable(error.asReason, at: [position])
    case .limit(let exceeded, let place): self = .tooLarge(exceeded, at: "\(place)")
    default: self = .unprocessable("not a delta: \("\(error)".shortened)")
    }
  }

  init(_ error: GzipError) {
    switch error {
    case .tooLarge(let byteLimit):
      self.init(
        kind: .tooLarge, detail: "\(error)", members: Members(limit: ("body-bytes", byteLimit)))
    default: self = .invalid("the body: \(error)")
    }
  }

  static func tooLarge(
    _ exceeded: ExceededLimit, at place: String, positions: [TextPosition] = []
  ) -> Problem {
    Problem(
      kind: .tooLarge, detail: "\(place): \(exceeded)",
      members: Members(limit: (exceeded.limit.rawValue, exceeded.bound), positions: positions))
  }

  private static func unprocessable(_ detail: String, at positions: [TextPosition] = []) -> Problem
  {
    Problem(
      kind: .unprocessable, detail: String(detail.prefix(1000)),
      members: Members(positions: positions))
  }
}
