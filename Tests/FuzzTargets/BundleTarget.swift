import ListDocuments
import ListModel

/// A bundle: reading it in chunks of any size gives the same result, and a complete bundle is
/// written again unchanged. A wrong digest is corrected, so the bytes before it are tested too.
enum BundleTarget {
  static func run(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> Bool {
    let outcome = read(bytes, by: .max)
    try expect(read(bytes, by: 5) == outcome, "other events in other chunks")
    if case .refused(let error) = outcome, let mended = mended(bytes, error) {
      return try check(read(mended, by: .max))
    }
    return try check(outcome)
  }

  private enum Outcome: Equatable {
    case whole([BundleEvent], BundleSummary)
    case refused(BundleError)
  }

  private static func read(_ bytes: [UInt8], by chunkByteCount: Int) -> Outcome {
    var limits = Limits.standard
    limits[.lineBytes] = 1 << 16
    var (reader, replay) = (BundleReader(limits: limits), BundleReplay())
    var events: [BundleEvent] = []
    var rest = bytes[...]
    do throws(BundleError) {
      while !rest.isEmpty {
        let chunk = Array(rest.prefix(chunkByteCount))
        rest = rest.dropFirst(chunk.count)
        events += try reader.read(chunk)
      }
      let summary = try reader.finish()
      for event in events { try replay.apply(event) }
      return .whole(events, summary)
    } catch {
      return .refused(error)
    }
  }

  private static func check(_ outcome: Outcome) throws(FuzzTarget.Finding) -> Bool {
    guard case .whole(let events, let summary) = outcome else { return false }
    let written: [UInt8]
    do throws(BundleError) {
      written = try write(events)
    } catch {
      throw FuzzTarget.Finding(description: "what was read cannot be written: \(error)")
    }
    guard case .whole(let again, let other) = read(written, by: .max) else {
      throw FuzzTarget.Finding(description: "what was written cannot be read")
    }
    try expect(again == events && other.header == summary.header, "other events are read back")
    return true
  }

  static func write(_ events: [BundleEvent]) throws(BundleError) -> [UInt8] {
    guard case .header(let header)? = events.first else { return [] }
    var writer = try BundleWriter(header)
    for event in events.dropFirst() { try writer.append(event) }
    _ = try writer.finish()
    return writer.takeBytes()
  }

  /// The bytes with the right last line; nil if the last line is not the cause.
  private static func mended(_ bytes: [UInt8], _ error: BundleError) -> [UInt8]? {
    guard case .wrongEnd(_, let end) = error else { return nil }
    let body = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
    return body + Array("\(end)\n".utf8)
  }
}
