import ListDocuments
import ListModel
import SyncService

/// What the service hands out and takes, as a bundle has it.
extension BundleHeader {
  package init(_ range: VersionRange) {
    self.init(
      list: range.list, idRule: range.idRule.flatMap(IDRule.init(text:)), start: range.start,
      target: range.target)
  }
}

extension BundleWriter {
  package mutating func append(_ part: VersionRange.Part) throws(BundleError) {
    switch part {
    case .item(let item): try append(item)
    case .step(let record, let changes): try append(BundleStep(record, changes: changes))
    }
  }
}

extension VersionRange {
  package init(_ header: BundleHeader) {
    self.init(
      list: header.list, idRule: header.idRule?.text, start: header.start, target: header.target)
  }
}
