#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
  import ListChanges
  public import SwiftUI
  public import UIKit

  /// A collection view in SwiftUI, which shows only the changes of its parks.
  public struct ParksView: UIViewRepresentable {
    public let parks: [Park]

    public init(_ parks: [Park]) { self.parks = parks }

    public func makeCoordinator() -> ParksSource { ParksSource() }

    public func makeUIView(context: Context) -> UICollectionView {
      context.coordinator.parks = parks
      return context.coordinator.makeCollectionView(in: .zero)
    }

    public func updateUIView(_ view: UICollectionView, context: Context) {
      let source = context.coordinator
      view.update(from: source.parks, to: parks, inSection: 0) { source.parks = $0 }
    }
  }
#endif
