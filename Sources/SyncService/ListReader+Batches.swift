import ListModel
import ListStore

extension ListReader {
  /// The most changes that are read together with their texts, unless they are of one step.
  static var standardBatchCount: Int { 4096 }
  private static var batchByteCount: Int { 1 << 26 }

  /// The most changes that are read together when all steps of a list are read, one after the
  /// other.
  ///
  /// The texts of a list lie in blocks by item, so that any batch may need every block. Few long
  /// batches keep the cost linear; their texts take about 64 MB at the most.
  func stepBatchCount(of list: ListRecord) throws -> Int {
    guard list.head >= list.firstStep else { return Self.standardBatchCount }
    let total = try changeCount(list.firstStep...list.head, of: list.key)
    var order = try headOrder(of: list) ?? .empty
    let count = min(64, order.count)
    let sample = try items(of: order.items(in: [0..<count]))
    let byteCount = sample.reduce(0) { $0 + $1.content.bytes.count } / max(1, sample.count)
    // Old and new content, and what lies around them in memory.
    let highest = Self.batchByteCount / (2 * byteCount + 200)
    return max(1, min(max(Self.standardBatchCount, total / 8), highest))
  }
}
