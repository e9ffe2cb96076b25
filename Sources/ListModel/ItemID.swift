/// The identity of an item within its list: a text, compared by its UTF-8 bytes.
///
/// Swift compares strings by canonical equivalence, databases and other languages by bytes. Here
/// composed and decomposed "é" are two ids.
public struct ItemID: Sendable, CustomStringConvertible {
  public let text: String

  public init(_ text: String) { self.text = text }

  public var description: String { text }
}

extension ItemID: Hashable {
  public static func == (a: ItemID, b: ItemID) -> Bool {
    let (x, y) = (a.text.utf8, b.text.utf8)
    let fast = x.withContiguousStorageIfAvailable { p in
      y.withContiguousStorageIfAvailable { q in p.count == q.count && p.elementsEqual(q) }
    }
    return (fast ?? nil) ?? x.elementsEqual(y)
  }

  public func hash(into hasher: inout Hasher) {
    let utf8 = text.utf8
    let isDone: Void? = utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { for byte in utf8 { hasher.combine(byte) } }
    hasher.combine(utf8.count)
  }
}

extension ItemID: Comparable {
  public static func < (a: ItemID, b: ItemID) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
}

extension ItemID: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}
