import Foundation
import ListModel

/// Settings that the environment gives, except the store.
enum Settings {
  /// Foundation makes the dictionary again for each access.
  static let environment = ProcessInfo.processInfo.environment

  /// - Throws: `InvalidSetting`.
  static func limits() throws -> Limits {
    try Limits(environment: environment)
  }
}
