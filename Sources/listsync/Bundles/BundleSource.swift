import ListDocuments
import ListModel
import ServiceDocuments
import SyncService

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
