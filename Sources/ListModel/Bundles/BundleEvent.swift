/// What a bundle holds, in its order: the header, the items of the base, the steps.
public enum BundleEvent: Equatable, Sendable {
  case header(BundleHeader)
  /// The next item of the snapshot that a full bundle starts from.
  case item(Item)
  case step(BundleStep)
}
