#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
  public import SwiftUI

  /// A list in SwiftUI, which compares identities alone. A row reads its park when it is shown.
  public struct ParksList: View {
    public let ids: [String]
    public let park: (String) -> Park?

    public init(_ ids: [String], park: @escaping (String) -> Park?) {
      (self.ids, self.park) = (ids, park)
    }

    public var body: some View {
      // page
      List(ids, id: \.self) { id in ParkRow(park: park(id)) }
      // end
    }
  }

  public struct ParkRow: View {
    public let park: Park?

    public var body: some View { Text(park?.label ?? "") }
  }
#endif
