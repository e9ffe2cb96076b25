/// A bound of the formats or the store that cannot be changed.
public struct FixedLimit: Sendable {
  public let name: String
  public let meaning: String
  public let value: Int

  public static let all = [
    FixedLimit(
      name: "list-name", meaning: "characters of a list's name", value: ListName.maximumByteCount),
    FixedLimit(
      name: "tag-name", meaning: "characters of a tag's name", value: TagName.maximumByteCount),
    FixedLimit(
      name: "exponent-digits", meaning: "digits of a number's exponent",
      value: CanonicalNumber.maximumExponentDigitCount),
    FixedLimit(
      name: "list-changes", meaning: "changes that a list can have had",
      value: Int(clamping: Int64(UInt32.max))),
    FixedLimit(
      name: "list-versions", meaning: "versions that a list can have had",
      value: Version.highest.number),
  ]
}
