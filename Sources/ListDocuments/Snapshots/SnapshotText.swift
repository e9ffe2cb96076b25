import ListModel

/// A snapshot file with the places of its items, so that another list can be written in its form.
///
/// An item that the file has is written with the file's own bytes: its order of members, its white
/// space, its spelling of numbers. So a tool that compares lines shows only what changed.
public struct SnapshotText: Sendable {
  public let read: ReadSnapshot
  let bytes: [UInt8]
  /// The places of the items in the file, ascending.
  let places: [Range<Int>]
  /// The text of each item.
  let texts: [ItemID: JSONText]
  let separator: UInt8
  let quoting: SnapshotOptions.Quoting

  /// The file with another list in it.
  ///
  /// - Parameters:
  ///   - list: the new list.
  ///   - other: a file whose texts are used for items and members that this one lacks.
  /// - Complexity: O(bytes of both files and of the list).
  public func replacingItems(with list: Snapshot, from other: SnapshotText) -> [UInt8] {
    guard let first = places.first, let last = places.last else {
      if list.items.isEmpty { return bytes }
      // An empty file does not show how items are written.
      return other.places.isEmpty
        ? SnapshotDocument.encode(list) : other.replacingItems(with: list, from: self)
    }
    if read.format == .csv { return SnapshotTable(self).rows(of: list, from: other) }
    var result = Array(bytes[..<first.lowerBound])
    let between = self.between(first)
    for (number, item) in list.items.enumerated() {
      if number > 0 { result += between }
      result += JSONText.text(
        of: item.content, mine: texts[item.id],
        theirs: other.read.format == read.format ? other.texts[item.id] : nil)
    }
    return result + bytes[last.upperBound...]
  }

  /// The bytes between two items.
  private func between(_ first: Range<Int>) -> [UInt8] {
    if places.count > 1 { return Array(bytes[first.upperBound..<places[1].lowerBound]) }
    if read.format == .ndjson { return [0x0A] }
    return JSONText.separator(inFrontOf: first.lowerBound, in: bytes)
  }
}

extension SnapshotReader {
  /// Reads a snapshot file with the places of its items.
  ///
  /// - Throws: `SnapshotError`, as ``read(_:fileName:)`` does.
  /// - Complexity: O(bytes).
  public func text(
    _ bytes: [UInt8], fileName: String? = nil
  ) throws(SnapshotError) -> SnapshotText {
    let recaller = ItemRecaller(bytes, known: KnownItems(bytes: []))
    let read = try read(bytes, fileName: fileName, recaller: recaller)
    let places = zip(recaller.read.items, recaller.read.ends).map { $0.offset..<$1 }
    var texts: [ItemID: JSONText] = [:]
    for (item, place) in zip(recaller.read.items, places) {
      guard let id = item.id else { continue }
      texts[id] = JSONText(bytes: bytes, range: place, content: item.content)
    }
    let sniffer = SnapshotSniffer(bytes: bytes, fileName: fileName)
    return SnapshotText(
      read: read, bytes: bytes, places: places, texts: texts,
      separator: options.separator ?? sniffer.separator, quoting: options.quoting)
  }
}
