import ListDocuments
import Synchronization

/// A JSON array on standard output with one object a line. Each object is written at once.
final class JSONArrayOutput: Sendable {
  private let isEmpty = Mutex(true)

  func write(_ members: (inout JSONWriter) -> Void) throws { try Output.write(element(members)) }

  /// The bytes of the next object, which the caller writes.
  func element(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    let start = isEmpty.withLock { isEmpty in
      defer { isEmpty = false }
      return isEmpty ? "[\n" : ",\n"
    }
    return start.utf8 + JSONWriter.object(members)
  }

  /// Begins again, with no object.
  func restart() { isEmpty.withLock { $0 = true } }

  func finish() throws {
    try Output.write((isEmpty.withLock { $0 } ? "[]\n" : "]\n").utf8)
  }

  /// Writes a whole array.
  static func write<Element>(
    _ elements: [Element], _ members: (inout JSONWriter, Element) -> Void
  ) throws {
    let array = JSONArrayOutput()
    for element in elements { try array.write { members(&$0, element) } }
    try array.finish()
  }
}
