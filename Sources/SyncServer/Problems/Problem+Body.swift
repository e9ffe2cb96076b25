import Gzip
import ListDocuments
import ListModel

/// The problems of bodies, with the positions in them.
extension Problem {
  init(_ error: SnapshotError) {
    if case .limit(let exceeded, let position) = error {
      self = .tooLarge(exceeded, at: "\(position)", positions: [position])
      return
    }
    let advice: String? =
      switch error {
      case .gzip: "say so with Content-Encoding: gzip"
      case .utf16: "send UTF-8"
      case .emptyInput: "an empty list is written []"
      case .noArray(_, _, let arrays) where !arrays.isEmpty:
        "arrays are at \(SnapshotError.some(of: arrays.map(\.description))): name one with items="
      case .noIDColumn, .noID: "name one with id="
      default: nil
      }
    let isAboutBody = [.gzip, .utf16, .emptyInput].contains(error)
    let texts = [isAboutBody ? "the body \(error)" : "\(error)"] + error.samples
    self = .unprocessable(
      (texts + [advice].compactMap(\.self)).joined(separator: "; "), at: error.positions)
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
