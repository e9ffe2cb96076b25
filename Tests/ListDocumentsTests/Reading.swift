import ListDocuments
import ListModel
import Testing

/// Reads a text as a snapshot file.
func read(
  _ text: String, as format: SnapshotOptions.Format? = nil, items: JSONPointer? = nil,
  id: IDRule = .standard, duplicates: SnapshotOptions.Duplicates = .refuse,
  separator: Unicode.Scalar? = nil, fileName: String? = nil
) throws(SnapshotError) -> ReadSnapshot {
  let options = SnapshotOptions(
    format: format, items: items, idRule: id, duplicates: duplicates,
    separator: separator.map { UInt8(ascii: $0) })
  return try SnapshotReader(options: options).read(Array(text.utf8), fileName: fileName)
}

extension ReadSnapshot {
  var ids: [String] { snapshot.items.map(\.id.text) }
  var contents: [String] { snapshot.items.map(\.content.description) }
}

/// The error of reading bytes, in the form that a test expects.
func refusal(
  of bytes: some Sequence<UInt8>, options: SnapshotOptions = SnapshotOptions(),
  fileName: String? = nil
) -> SnapshotError? {
  do throws(SnapshotError) {
    _ = try SnapshotReader(options: options).read(Array(bytes), fileName: fileName)
    return nil
  } catch {
    return error
  }
}

extension SnapshotError {
  /// The error in the JSON; nil for other errors.
  var jsonReason: JSONError.Reason? {
    if case .json(let error, _) = self { error.reason } else { nil }
  }

  /// The place of the fault; nil if the text is well-formed.
  var position: TextPosition? {
    switch self {
    case .json(_, let position), .csv(_, let position): position
    default: nil
    }
  }
}

extension JSONError.Reason {
  var isCutOff: Bool { if case .cutOff = self { true } else { false } }
}

let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
