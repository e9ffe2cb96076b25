import Foundation
import ListModel

/// Settings that the environment gives, except the store.
package enum Settings {
  /// - Throws: `InvalidSetting`.
  package static func limits() throws -> Limits {
    try Limits(environment: ProcessInfo.processInfo.environment)
  }
}
