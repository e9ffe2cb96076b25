import Foundation

extension ParkList {
  /// The list as a JSON array, an item a line.
  public var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parks.count * (120 + contents.descriptionByteCount))
    for park in parks {
      bytes.append(contentsOf: (bytes.isEmpty ? "[\n" : ",\n").utf8)
      contents.append(park, to: &bytes)
    }
    bytes.append(contentsOf: (bytes.isEmpty ? "[]\n" : "\n]\n").utf8)
    return bytes
  }

  /// Writes the list as a JSON array, and returns the number of bytes.
  @discardableResult
  public func writeJSON(to path: String) throws -> Int {
    let bytes = json
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return bytes.count
  }
}
