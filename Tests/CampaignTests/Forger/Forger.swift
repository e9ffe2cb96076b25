/// Forges a checksum that is a sum of hashes, with Wagner's tree algorithm.
///
/// Source: D. Wagner, "A Generalized Birthday Problem", CRYPTO 2002.
///
/// Each item of a list adds one term to the sum modulo 2^`bits`, and each item has many variants.
/// The forger chooses one variant per item such that the sum becomes a wanted one. With two items
/// that takes about 2^(bits/2) terms, the usual birthday attack. With 2^k items it takes only about
/// 2^(bits/(k + 1)) terms per item: for 128 bits and 1,024 items, that is 2^12 instead of 2^64.
///
/// How it works: the items are the leaves of a binary tree. The list of a leaf is the terms of its
/// variants. The list of an inner node is the sums of a left and a right element whose next
/// `stepBits` low bits are zero. So the lists stay short while each level clears more low bits. At
/// the root all bits must be zero. Cleared bits give no carry, so later additions keep them zero.
struct Forger: Sendable {
  /// An unsigned number of 128 bits: a term, or a sum of terms.
  typealias Words = (high: UInt64, low: UInt64)

  /// The positions, in the lists of its two children, of the elements that an element is made of.
  private typealias Pair = (left: Int, right: Int)

  /// The sum is taken modulo 2^`bits`.
  let bits: Int

  /// The levels of the tree above its leaves: the k of the paper.
  let levels: Int

  /// How many low bits each level clears. The root clears all bits that remain, up to two times as
  /// many, since it needs only one element and not a full list.
  let stepBits: Int

  /// How many variants of each item one attempt uses. This is also the limit of each list's length.
  let variants: Int

  /// How many items are varied: 2^`levels`.
  var items: Int { 1 << levels }

  /// By default, one attempt uses a quarter more than 2^`stepBits` variants. Two such lists have
  /// 1.25² = 1.56 times 2^`stepBits` matching pairs, so almost every list of the tree is full.
  init(bits: Int, levels: Int, variants: Int? = nil) {
    precondition((1...128).contains(bits) && levels >= 1, "unusable size")
    stepBits = (bits + levels) / (levels + 1)
    precondition(stepBits * levels <= bits, "too many levels for so few bits")
    self.bits = bits
    self.levels = levels
    self.variants = variants ?? (1 << stepBits) * 5 / 4
  }

  /// Chooses a variant for each item such that the chosen terms add up to `target`.
  ///
  /// An attempt fails if the root's list is empty. The next one then uses other variants.
  /// - Parameter term: the term of a variant of an item, by the item's index below `items` and the
  ///   variant's number below `attempts * variants`. It must depend on nothing else.
  /// - Returns: the number of the chosen variant of each item, or nil if all attempts failed.
  func choose(
    target: Words, attempts: Int = 8, term: (_ item: Int, _ variant: Int) -> Words
  ) -> [Int]? {
    for attempt in 0..<attempts {
      let numbers = attempt * variants..<(attempt + 1) * variants
      var pairs = [[Pair]](repeating: [], count: items)
      // `target` is subtracted from every term of the first item, so that the wanted sum is zero.
      let root = sums(ofNode: 1, height: levels, pairs: &pairs) { item in
        numbers.map { joined(term(item, $0)) &- (item == 0 ? joined(target) : 0) }
      }
      if !root.isEmpty { return choice(pairs).map { numbers.lowerBound + $0 } }
    }
    return nil
  }

  /// Makes the list of a node, and keeps what its elements are made of in `pairs[node]`.
  ///
  /// The nodes are numbered like those of a heap: the root is 1, the children of n are 2n and
  /// 2n + 1, and the leaves are `items..<2 * items`. Subtrees are done one after the other, so only
  /// a few lists of sums exist at a time.
  private func sums(
    ofNode node: Int, height: Int, pairs: inout [[Pair]], leaf: (_ item: Int) -> [UInt128]
  ) -> [UInt128] {
    if height == 0 { return leaf(node - items) }
    let left = sums(ofNode: 2 * node, height: height - 1, pairs: &pairs, leaf: leaf)
    let right = sums(ofNode: 2 * node + 1, height: height - 1, pairs: &pairs, leaf: leaf)
    pairs[node] = matches(left, right, height: height)
    return pairs[node].map { left[$0.left] &+ right[$0.right] }
  }

  /// Finds pairs whose sum has zeros in all bits that are cleared at this height.
  ///
  /// The bits below are zero in both lists already. The elements of `right` are put into buckets by
  /// their next `stepBits` bits, so that each element of `left` is compared with one bucket only.
  private func matches(_ left: [UInt128], _ right: [UInt128], height: Int) -> [Pair] {
    let shift = (height - 1) * stepBits
    let isRoot = height == levels
    let mustBeZero = UInt128.max >> (128 - (isRoot ? bits : height * stepBits))
    func bucket(_ sum: UInt128) -> Int {
      Int(truncatingIfNeeded: sum >> shift) & (1 << stepBits - 1)
    }

    var buckets = [[Int]](repeating: [], count: 1 << stepBits)
    for (index, sum) in right.enumerated() { buckets[bucket(sum)].append(index) }
    var found: [Pair] = []
    for (index, sum) in left.enumerated() {
      for other in buckets[bucket(0 &- sum)] where (sum &+ right[other]) & mustBeZero == 0 {
        found.append((index, other))
        if isRoot || found.count == variants { return found }
      }
    }
    return found
  }

  /// Goes from the first element of the root down to the leaves.
  private func choice(_ pairs: [[Pair]]) -> ArraySlice<Int> {
    var elements = [Int](repeating: 0, count: 2 * items)
    for node in 1..<items {
      let pair = pairs[node][elements[node]]
      elements[2 * node] = pair.left
      elements[2 * node + 1] = pair.right
    }
    return elements[items...]
  }

  private func joined(_ words: Words) -> UInt128 {
    UInt128(words.high) << 64 | UInt128(words.low)
  }
}
