/// The buckets in which transactions are counted. A transaction is counted in the buckets of the
/// lists that it changed, which are on the same machines. So a commit to one list stays on one
/// machine.
///
/// A store on one server has one bucket, number 0. In a distributed store, each shard has a bucket,
/// whose number is in the shard by its hash.
struct Buckets: Equatable, Sendable {
  struct Bucket: Equatable, Sendable {
    let number: Int64
    /// The hashes of the keys of the lists in the bucket's shard.
    let hashes: ClosedRange<Int64>
  }

  /// The number of counters in a bucket. They are numbered from the bucket's own number on.
  static let slotCount: Int64 = 32

  /// The buckets, ascending by their hashes; empty in a store on one server.
  let all: [Bucket]

  static let one = Buckets(all: [])

  /// Whether the tables are distributed over machines.
  var isDistributed: Bool { !all.isEmpty }

  /// Returns the bucket of a list. The list 0 stands for tokens and retired lists.
  func bucket(of list: Int64) -> Int64 {
    guard let first = all.first else { return 0 }
    let hash = Self.hash(list)
    return (all.first { $0.hashes.contains(hash) } ?? first).number
  }

  /// Makes a bucket for each range of hashes, with a number whose hash is in the range.
  static func numbered(_ ranges: [ClosedRange<Int64>]) -> Buckets {
    var numbers: [Int: Int64] = [:]
    var candidate: Int64 = 0
    while numbers.count < ranges.count {
      candidate += slotCount
      let hash = hash(candidate)
      guard let place = ranges.firstIndex(where: { $0.contains(hash) }) else { continue }
      if numbers[place] == nil { numbers[place] = candidate }
    }
    return Buckets(
      all: ranges.indices.map { Bucket(number: numbers[$0] ?? 0, hashes: ranges[$0]) })
  }

  /// Returns the hash by which the server finds the shard of a number.
  ///
  /// - Source: `hashint8` in PostgreSQL's `hashfunc.c`, and `hash_bytes_uint32` in `hashfn.c`.
  static func hash(_ number: Int64) -> Int64 {
    let (low, high) = (UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32))
    let key = low ^ (number >= 0 ? high : ~high)
    let start: UInt32 = 0x9e37_79b9 &+ 4 &+ 3_923_095
    var (a, b, c) = (start &+ key, start, start)
    func mix(_ x: inout UInt32, _ y: UInt32, _ bits: UInt32) {
      x = (x ^ y) &- (y << bits | y >> (32 - bits))
    }
    mix(&c, b, 14)
    mix(&a, c, 11)
    mix(&b, a, 25)
    mix(&c, b, 16)
    mix(&a, c, 4)
    mix(&b, a, 14)
    mix(&c, b, 24)
    return Int64(Int32(bitPattern: c))
  }
}

/// The record of the newest transactions in a row of `marks`. Each transaction, the newest first,
/// has its negative number and then the lists that it changed, where 0 stands for tokens and
/// retired lists. A number has 8 bytes in big-endian order.
enum ChangeRecord {
  /// The largest number of bytes of a record: it has room for 16 transactions of one list each.
  static let byteCount = 256

  /// Returns the lists that were changed by the transactions after the number `known`; nil if the
  /// record does not reach back to it.
  static func lists(_ record: [UInt8], after known: Int64, to newest: Int64) -> Set<Int64>? {
    var lists: Set<Int64> = []
    var next = newest
    for start in stride(from: 0, to: record.count, by: 8) {
      let bytes = record[start..<min(start + 8, record.count)]
      let number = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
      if number >= 0 {
        lists.insert(number)
      } else if next == known {
        return lists
      } else if number == -next {
        next -= 1
      } else {
        return nil
      }
    }
    // The last transaction of a full record may lack lists.
    return next == known && record.count < byteCount ? lists : nil
  }
}
