// watchOS has a module UIKit without views.
#if canImport(UIKit) && !os(watchOS)
  import ListChanges
  public import UIKit

  // An app cannot make its views conform in another way.
  // swift-format-ignore: AvoidRetroactiveConformances
  extension UICollectionView: @retroactive BatchUpdatingView {}
  // swift-format-ignore: AvoidRetroactiveConformances
  extension UITableView: @retroactive BatchUpdatingTableView {}

  /// The data source of a collection view or a table view. Its cells carry the labels of the parks.
  @MainActor
  public final class ParksSource: NSObject, UICollectionViewDataSource,
    UITableViewDataSource
  {
    public var sections: Parks = []

    /// The parks of the first section.
    public var parks: [Park] {
      get { sections.first?.items ?? [] }
      set { sections = [ListSection(Region("all"), items: newValue)] }
    }

    private static let reuseIdentifier = "park"

    public func makeCollectionView(in frame: CGRect) -> UICollectionView {
      let layout = UICollectionViewFlowLayout()
      layout.itemSize = CGSize(width: 40, height: 40)
      let view = UICollectionView(frame: frame, collectionViewLayout: layout)
      view.register(UICollectionViewCell.self, forCellWithReuseIdentifier: Self.reuseIdentifier)
      view.dataSource = self
      return view
    }

    public func makeTableView(in frame: CGRect) -> UITableView {
      let view = UITableView(frame: frame, style: .plain)
      view.register(UITableViewCell.self, forCellReuseIdentifier: Self.reuseIdentifier)
      view.dataSource = self
      return view
    }

    public func numberOfSections(in view: UICollectionView) -> Int { sections.count }

    public func collectionView(_ view: UICollectionView, numberOfItemsInSection section: Int)
      -> Int
    {
      sections[section].items.count
    }

    public func collectionView(_ view: UICollectionView, cellForItemAt path: IndexPath)
      -> UICollectionViewCell
    {
      let cell = view.dequeueReusableCell(
        withReuseIdentifier: Self.reuseIdentifier, for: path)
      cell.accessibilityLabel = sections[path[0]].items[path[1]].label
      return cell
    }

    public func numberOfSections(in view: UITableView) -> Int { sections.count }

    public func tableView(_ view: UITableView, numberOfRowsInSection section: Int) -> Int {
      sections[section].items.count
    }

    public func tableView(_ view: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
      let cell = view.dequeueReusableCell(withIdentifier: Self.reuseIdentifier, for: path)
      cell.accessibilityLabel = sections[path[0]].items[path[1]].label
      return cell
    }
  }
#endif
