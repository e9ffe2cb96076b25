import Synchronization

/// Pages, one after the other, that do not have their checksums.
struct DamagedPages: Equatable, Sendable {
  /// From 1, as SQLite counts.
  var numbers: ClosedRange<Int>
  /// Of one page.
  let pageByteCount: Int

  /// As users are told.
  func reason(path: String? = nil) -> String {
    let (first, last) = (numbers.lowerBound, numbers.upperBound)
    let bytes = "(bytes \((first - 1) * pageByteCount) to \(last * pageByteCount - 1))"
    let file = path.map { " of \($0)" } ?? ""
    return first == last
      ? "page \(first) \(bytes)\(file) does not have the checksum it was written with"
      : "pages \(first) to \(last) \(bytes)\(file) do not have the checksums they were written with"
  }
}

/// The damaged page that was met last in each file: SQLite's error says only that there is one.
enum DamageLog {
  /// By the full path of the file.
  private static let pages = Mutex<[String: DamagedPages]>([:])

  static func note(_ page: DamagedPages, in path: String) { pages.withLock { $0[path] = page } }

  static func page(in path: String) -> DamagedPages? { pages.withLock { $0[path] } }
}
