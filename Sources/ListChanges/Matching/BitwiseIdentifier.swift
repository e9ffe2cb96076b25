#if canImport(FoundationEssentials)
  import FoundationEssentials
#elseif canImport(Foundation)
  import Foundation
#endif

/// An id whose values are equal exactly when their bits are, without padding or references: it can be
/// hashed by its bits, several times as fast as through `Hasher`.
///
/// Conform a type of your own when all of its stored properties are such integers or UUIDs and `==`
/// is the one that Swift makes.
public protocol BitwiseIdentifier: Hashable {}

extension Int: BitwiseIdentifier {}
extension Int64: BitwiseIdentifier {}
extension Int32: BitwiseIdentifier {}
extension UInt: BitwiseIdentifier {}
extension UInt64: BitwiseIdentifier {}
extension UInt32: BitwiseIdentifier {}
extension UUID: BitwiseIdentifier {}
