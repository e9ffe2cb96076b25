#if canImport(FoundationEssentials)
  import FoundationEssentials
#elseif canImport(Foundation)
  import Foundation
#endif

/// An id whose values are equal if and only if their bits are, without padding or references. It is
/// hashed by its bits, several times faster than with `Hasher`.
///
/// Conform your own type when all of its stored properties are such types and `==` is synthesized.
public protocol BitwiseIdentifier: Hashable {}

/// Whether ids of a type can be hashed by their bits. Common types are decided at compile time: a
/// conformance check takes microseconds, which matters for short lists.
@inlinable
func isBitwise<ID>(_ type: ID.Type) -> Bool {
  type == UUID.self || type == Int.self || type == Int64.self || type is any BitwiseIdentifier.Type
}

extension Int: BitwiseIdentifier {}
extension Int64: BitwiseIdentifier {}
extension Int32: BitwiseIdentifier {}
extension UInt: BitwiseIdentifier {}
extension UInt64: BitwiseIdentifier {}
extension UInt32: BitwiseIdentifier {}
extension UUID: BitwiseIdentifier {}
