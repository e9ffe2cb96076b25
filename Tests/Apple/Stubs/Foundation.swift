// The part of Foundation that the libraries and the app use. The script `check`
// reads these lines, and compares them with the releases that the toolchain knows.

public protocol NSObjectProtocol: AnyObject {}

open class NSObject: NSObjectProtocol { public init() {} }

public struct UUID: Hashable, Sendable {
  public init() {}
}

public typealias TimeInterval = Double

public struct Date: Hashable, Comparable, Sendable {
  public var timeIntervalSince1970: TimeInterval { 0 }

  public init() {}
  public init(timeIntervalSince1970: TimeInterval) {}

  public static func < (a: Date, b: Date) -> Bool { false }
}

public struct Data: Hashable, Sendable, RandomAccessCollection {
  public init(_ bytes: some Sequence<UInt8>) {}
  public init?(base64Encoded: String) {}
  public func base64EncodedString() -> String { "" }

  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 { 0 }
}

public typealias CGFloat = Double

public struct CGSize: Sendable {
  public init(width: CGFloat, height: CGFloat) {}
}

public struct CGRect: Sendable {
  public static let zero = CGRect(x: 0, y: 0, width: 0, height: 0)

  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {}
}

public struct IndexPath: Hashable, Comparable, Codable, Sendable, ExpressibleByArrayLiteral,
  RandomAccessCollection
{
  public init(arrayLiteral indexes: Int...) {}

  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> Int { 0 }

  public static func < (a: IndexPath, b: IndexPath) -> Bool { false }
}

public struct IndexSet: Hashable, Sendable, SetAlgebra, RandomAccessCollection {
  public init() {}
  public init(arrayLiteral elements: Int...) {}

  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> Int { 0 }

  public var isEmpty: Bool { true }
  public func contains(_ member: Int) -> Bool { false }
  public func union(_ other: IndexSet) -> IndexSet { self }
  public func intersection(_ other: IndexSet) -> IndexSet { self }
  public func symmetricDifference(_ other: IndexSet) -> IndexSet { self }
  public mutating func insert(_ member: Int) -> (inserted: Bool, memberAfterInsert: Int) {
    (true, member)
  }
  public mutating func remove(_ member: Int) -> Int? { nil }
  public mutating func update(with member: Int) -> Int? { nil }
  public mutating func formUnion(_ other: IndexSet) {}
  public mutating func formIntersection(_ other: IndexSet) {}
  public mutating func formSymmetricDifference(_ other: IndexSet) {}
}
