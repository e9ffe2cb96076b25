import Foundation
import ListModel
import Logging

/// Writes the log to a queue of lines, so that no request waits for the log's reader.
///
///     2026-11-22T09:08:46.123Z info request id=… method=PUT route=… status=201 ms=4
struct QueuedLogHandler: LogHandler {
  let lines: LineQueue
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  init(lines: LineQueue) { self.lines = lines }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
      .merging(event.metadata ?? [:]) { $1 }
    let pairs = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    lines.write("\(Timestamp(Date())) \(event.level) \(event.message)\(pairs)")
  }
}
