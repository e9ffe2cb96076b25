import HTTPTypes
import ListDocuments

/// What a body is, as its `Content-Type` says.
struct BodyKind: Sendable {
  /// Nil to tell by the first bytes.
  let format: SnapshotOptions.Format?
  /// Whether the cells of a row are separated by tabs.
  let isTabbed: Bool

  /// - Parameter contentType: the header's value; nil where there is none.
  /// - Throws: `Problem` of type `unsupported-media-type`.
  init(_ contentType: String?) throws(Problem) {
    let type = (contentType ?? "").split(separator: ";").first.map(String.init) ?? ""
    let trimmed = type.lowercased().filter { $0 != " " && $0 != "\t" }
    isTabbed = trimmed == MediaTypes.tsv
    switch trimmed {
    // What curl sends where nothing is said.
    case "", "application/octet-stream", "application/x-www-form-urlencoded": format = nil
    case MediaTypes.json: format = .json
    case MediaTypes.lines, "application/jsonl", "application/ndjson": format = .ndjson
    case MediaTypes.csv, MediaTypes.tsv: format = .csv
    default:
      throw Problem(
        kind: .unsupportedMediaType,
        detail: """
          '\(trimmed.shortened)' is not read here; send \(MediaTypes.json), \(MediaTypes.lines), \
          \(MediaTypes.csv) or \(MediaTypes.tsv)
          """)
    }
  }
}
