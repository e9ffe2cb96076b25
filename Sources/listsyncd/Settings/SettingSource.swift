import ArgumentParser
import Configuration
import Foundation
import ListModel

/// Settings of the environment or of a file.
///
/// Each value becomes the words of a command line, so that ArgumentParser reads and checks every
/// value, wherever it comes from.
struct SettingSource {
  /// The place of a member, for errors: `in /etc/listsync/listsyncd.json`.
  private let place: String
  private let values: any ConfigSnapshot
  private let key: @Sendable (Setting) -> AbsoluteConfigKey

  /// - Throws: `StartError.invalidSetting` when a variable looks like a setting, and is none.
  static func environment(_ environment: [String: String]) throws(StartError) -> Self {
    let source = Self(
      place: "in the environment",
      values: EnvironmentVariablesProvider(environmentVariables: environment).snapshot()
    ) { AbsoluteConfigKey([$0.variable]) }
    let prefixes = ["LISTSYNCD_", "LISTSYNC_MAX_"]
    try source.refuseOthers(
      environment.keys.filter { key in prefixes.contains { key.hasPrefix($0) } },
      than: Setting.all.map(\.variable) + [Setting.fileVariable])
    return source
  }

  /// Reads a JSON object.
  ///
  /// - Throws: `StartError.unreadableSettings`, also for a member that stands twice;
  ///   `.invalidSetting` for a member that is no setting, or has another kind of value.
  static func file(_ path: String) throws(StartError) -> Self {
    let object: ContentView
    let values: JSONSnapshot
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      values = try JSONSnapshot(data: data.bytes, providerName: path, parsingOptions: .default)
      object = ContentView(try Content(json: Array(data)))
    } catch {
      throw .unreadableSettings(path: path, reason: Self.reason(error))
    }
    let source = Self(place: "in \(path)", values: values) { AbsoluteConfigKey([$0.name]) }
    try source.refuseOthers(object.members.map(\.name), than: Setting.all.map(\.name))
    for setting in Setting.all {
      // JSONSnapshot would pass over null and objects, and take true for 1 and 1 for true.
      if let value = object.member(setting.name), !setting.takes(value) {
        throw source.wrongType(of: setting)
      }
    }
    return source
  }

  /// The words for all given settings.
  ///
  /// - Throws: `StartError.invalidSetting`.
  func words() throws(StartError) -> [String: [String]] {
    var all: [String: [String]] = [:]
    for setting in Setting.all {
      guard let words = try words(of: setting) else { continue }
      do {
        _ = try ListSyncD.parse(words)
      } catch {
        throw .invalidSetting(
          spelling(of: setting), place: place, reason: ListSyncD.message(for: error))
      }
      all[setting.name] = words
    }
    return all
  }

  /// Nil when the setting is not given.
  private func words(of setting: Setting) throws(StartError) -> [String]? {
    // Of a text in place of a number, ArgumentParser says what is allowed.
    for type in setting.type == .bool ? [.bool] : [setting.type, .string] {
      if let found = try? values.value(forKey: key(setting), type: type) {
        return found.value.map { setting.words($0.content) }
      }
    }
    throw wrongType(of: setting)
  }

  private func wrongType(of setting: Setting) -> StartError {
    let form =
      switch setting.type {
      case .int: "a whole number"
      case .bool: "true or false"
      case .stringArray: "an array of texts"
      default: "a text"
      }
    return .invalidSetting(spelling(of: setting), place: place, reason: "write \(form).")
  }

  private func spelling(of setting: Setting) -> String { key(setting).components.joined() }

  private func refuseOthers(_ names: [String], than known: [String]) throws(StartError) {
    for name in names.sorted() where !known.contains(name) {
      throw .invalidSetting(
        name, place: place, reason: "no such setting; write \(known.joined(separator: ", ")).")
    }
  }

  private static func reason(_ error: any Error) -> String {
    // A description of swift-configuration says more than NSError's translation of it.
    guard let error = error as? CocoaError else { return "\(error)" }
    return error.userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
  }
}
