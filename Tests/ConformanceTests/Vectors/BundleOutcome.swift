import ListDocuments
import ListModel

/// What the library makes of a bundle and the list at its prerequisite.
enum BundleOutcome {
  case accepted(BundleHeader, versions: [ListState], Snapshot)
  /// The line, and the error's name.
  case refused(line: Int?, reason: String)

  init(_ bundle: String, on items: [Item]) {
    do {
      var (reader, replay) = (BundleReader(), BundleReplay())
      var (header, states): (BundleHeader?, [ListState]) = (nil, [])
      var list = ProvenList<[Item]>(Snapshot(uniqueItems: items))
      var base: [Item] = []
      for event in try reader.read(Array(bundle.utf8)) {
        try replay.apply(event)
        switch event {
        case .header(let first): header = first
        case .item(let item): base.append(item)
        case .step(let step):
          if !base.isEmpty { list = ProvenList(Snapshot(uniqueItems: base)) }
          base = []
          states.append(step.to)
          try list.apply(step)
        }
      }
      _ = try reader.finish()
      if !base.isEmpty { list = ProvenList(Snapshot(uniqueItems: base)) }
      guard let header else { preconditionFailure("a finished bundle has a header") }
      self = .accepted(header, versions: states, list.snapshot)
    } catch let error as BundleError {
      var fault: any Error = error
      if case .document(let inner, _) = error { fault = inner }
      let name = "\(Mirror(reflecting: fault).children.first?.label ?? "\(fault)")"
      let line = "\(error)".firstMatch(of: /line (\d+)/).flatMap { Int($0.1) }
      self = .refused(line: line, reason: name)
    } catch {
      self = .refused(line: nil, reason: "\(error)")
    }
  }
}
