#if canImport(FoundationEssentials)
  import FoundationEssentials
#elseif canImport(Foundation)
  import Foundation
#endif

/// An id whose values are equal exactly when their bits are, without padding or references: it can
/// be hashed by its bits, several times as fast as through `Hasher`.
///
/// Conform a type of your own when all of its stored properties are such integers or UUIDs and `==`
/// is the one that Swift makes.
public protocol BitwiseIdentifier: Hashable {}

/// Whether ids of a type can be hashed by their bits. The types that everybody uses are told apart
/// when the comparison is compiled; asking for a conformance takes microseconds, which short lists
/// notice.
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
