import Foundation
import ListModel

/// What the environment sets, beside the store.
package enum Settings {
  /// - Throws: `InvalidLimit`.
  package static func limits() throws -> Limits {
    try Limits(environment: ProcessInfo.processInfo.environment)
  }
}
