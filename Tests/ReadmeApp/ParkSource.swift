// The README shows the lines below. Linux has no UIKit, so this imports its declarations.
// swift-format-ignore-file: AvoidRetroactiveConformances

import ListChanges
import UIKitStub

extension UICollectionView: @retroactive BatchUpdatingView {}  // once in an app

struct Park: Identifiable, Equatable { let id, name: String }

@MainActor final class ParkSource {  // of the view's data source
  private(set) var parks: [Park] = []

  func show(_ new: [Park], in view: UICollectionView) {
    view.update(from: parks, to: new, inSection: 0) { self.parks = $0 }
  }
}
