import ListStore
import SyncService

/// The store of one run of a verb, which is opened once, when it is first asked for.
final class StoreSession {
  /// What the verb will do with the store.
  enum Use {
    case reading, writing
  }

  private let options: StoreOptions
  private let use: Use
  private var service: SyncService?
  private var isAbsent = false

  init(_ options: StoreOptions, for use: Use) { (self.options, self.use) = (options, use) }

  /// Nil where there is no store yet, or one whose making was cut off.
  func serviceIfThere() throws -> SyncService? {
    if service != nil || isAbsent { return service }
    do {
      service = try use == .reading ? options.service() : options.existingService()
    } catch StoreError.notFound {
      isAbsent = true
    }
    return service
  }

  /// The service on a store that is made where it is not there.
  func serviceOrNew() throws -> SyncService {
    if let service = try serviceIfThere() { return service }
    let made = try options.writingService()
    service = made
    return made
  }
}
