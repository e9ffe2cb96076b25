import ListDocuments
import Synchronization
import Terminal

/// A JSON array on standard output, an object a line, each written as it comes.
final class JSONArrayOutput: Sendable {
  private let isEmpty = Mutex(true)

  func write(_ members: (inout JSONWriter) -> Void) throws {
    var writer = JSONWriter()
    writer.object(members)
    let start = isEmpty.withLock { isEmpty in
      defer { isEmpty = false }
      return isEmpty ? "[\n" : ",\n"
    }
    try Output.write(start.utf8)
    try Output.write(writer.bytes)
  }

  func finish() throws {
    try Output.write((isEmpty.withLock { $0 } ? "[]\n" : "]\n").utf8)
  }
}
