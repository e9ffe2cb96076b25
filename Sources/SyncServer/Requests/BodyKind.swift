import HTTPTypes
import ListDocuments
import ListModel

/// The form of a body, as its `Content-Type` says.
struct BodyKind: Sendable {
  /// Nil to detect the form by the first bytes.
  let format: SnapshotOptions.Format?
  /// Whether tabs separate the cells of a row.
  let isTabbed: Bool

  /// - Parameter contentType: the header's value; nil if it is absent.
  /// - Throws: `Problem` of type `unsupported-media-type`.
  init(_ contentType: String?) throws(Problem) {
    try self.init(
      contentType,
      supporting: "\(MediaTypes.json), \(MediaTypes.lines), \(MediaTypes.csv) or \(MediaTypes.tsv)")
  }

  /// Checks the form of a body that must be JSON.
  ///
  /// - Throws: as ``init(_:)``, also for the other forms of a list.
  static func checkJSON(_ contentType: String?) throws(Problem) {
    guard try BodyKind(contentType, supporting: MediaTypes.json).format ?? .json == .json else {
      throw .unsupported(contentType ?? "", send: MediaTypes.json)
    }
  }

  private init(_ contentType: String?, supporting types: String) throws(Problem) {
    let type = (contentType ?? "").split(separator: ";").first.map(String.init) ?? ""
    let trimmed = type.lowercased().filter { $0 != " " && $0 != "\t" }
    isTabbed = trimmed == MediaTypes.tsv
    switch trimmed {
    // The last is curl's default.
    case "", "application/octet-stream", "application/x-www-form-urlencoded": format = nil
    case MediaTypes.json: format = .json
    case MediaTypes.lines, "application/jsonl", "application/ndjson": format = .ndjson
    case MediaTypes.csv, MediaTypes.tsv: format = .csv
    default: throw .unsupported(trimmed, send: types)
    }
  }
}

extension Problem {
  fileprivate static func unsupported(_ type: String, send types: String) -> Problem {
    Problem(
      kind: .unsupportedMediaType,
      detail: "'\(type.shortened)' is not supported here; send \(types)")
  }
}
