/// A line of a version's message that says that an item got another id in this version. The chain
/// covers the message, so the line is as certain as the version.
///
///     New codes
///
///     Same-Item: ["DE","DEU"]
///     Same-Item: ["FR","FRA"]
///
/// The ids are a canonical JSON array, the old one first. So each is in one line, whatever it has.
/// The lines are the last ones of the message, except those of a ``MergeNote``.
public struct SameItem: Hashable, Sendable {
  public let old: ItemID
  public let new: ItemID

  private static let name = "Same-Item: "

  public init(old: ItemID, new: ItemID) { (self.old, self.new) = (old, new) }

  fileprivate init?(line: Substring) {
    guard line.hasPrefix(Self.name) else { return nil }
    self.init(json: String(line.dropFirst(Self.name.count)))
  }

  /// Reads a JSON array of two strings; nil for any other text.
  public init?(json: String) {
    guard let content = try? Content(json: json) else { return nil }
    let texts = ContentView(content).elements.map { $0.kind == .string ? $0.scalarText : nil }
    guard texts.count == 2, let old = texts[0], let new = texts[1] else { return nil }
    self.init(old: ItemID(old), new: ItemID(new))
  }

  var line: String {
    let ids = [old, new].map { String(decoding: CanonicalString.quoted($0.text), as: UTF8.self) }
    return "\(Self.name)[\(ids[0]),\(ids[1])]"
  }
}

extension [SameItem] {
  /// The message of a version with these lines.
  ///
  /// - Parameter text: what the author says about it; nil for a standard sentence.
  public func message(_ text: String?) -> String? {
    if isEmpty { return text }
    let standard = count == 1 ? "Give an item another id" : "Give \(count) items other ids"
    return "\(text ?? standard)\n\n\(map(\.line).joined(separator: "\n"))"
  }
}

extension CommitNote {
  /// The items that got other ids in the version.
  public var sameItems: [SameItem] { withoutMerge.map(Self.parts)?.items ?? [] }

  /// The message without the lines that say that the version is a merge, or that items got other
  /// ids.
  public var text: String? { withoutMerge.map { Self.parts(of: $0).text } }

  private static func parts(of message: String) -> (text: String, items: [SameItem]) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let items = lines.reversed().lazy.map { SameItem(line: $0) }.prefix { $0 != nil }
      .compactMap(\.self)
    let rest = lines.dropLast(items.count)
    guard !items.isEmpty, rest.count >= 2, rest.last == "" else { return (message, []) }
    return (rest.dropLast().joined(separator: "\n"), items.reversed())
  }
}
