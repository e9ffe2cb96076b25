import ListDocuments
import ListModel
import SyncService

/// What the service hands out and takes, as a bundle has it.
extension BundleHeader {
  init(_ range: VersionRange) {
    self.init(
      list: range.list, idRule: range.idRule.flatMap(IDRule.init(text:)), start: range.start,
      target: range.target)
  }
}

extension BundleWriter {
  mutating func append(_ part: VersionRange.Part) throws(BundleError) {
    switch part {
    case .item(let item): try append(item)
    case .step(let record, let changes): try append(BundleStep(record, changes: changes))
    }
  }
}

extension VersionRange {
  init(_ header: BundleHeader) {
    self.init(
      list: header.list, idRule: header.idRule?.text, start: header.start, target: header.target)
  }
}

/// A bundle's file as the service takes it.
struct BundleSource: VersionSource {
  private var file: BundleFile

  init(_ file: BundleFile) { self.file = file }

  mutating func range() throws -> VersionRange {
    guard case .header(let header)? = try file.next() else {
      preconditionFailure("a bundle starts with its header, or is refused")
    }
    return VersionRange(header)
  }

  mutating func next() throws -> VersionRange.Part? {
    switch try file.next() {
    case .item(let item): .item(item)
    case .step(let step): .step(step.record, step.changes)
    case .header: preconditionFailure("a bundle has one header")
    case nil: nil
    }
  }
}
