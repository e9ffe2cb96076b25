import ArgumentParser
import Foundation
import ListDocuments
import ListModel

/// Settings of the environment or of a file.
///
/// Each value becomes the words of a command line, so that ArgumentParser reads and checks every
/// value, wherever it comes from.
enum SettingSource {
  /// The words for the settings of the environment, by the names of the settings.
  ///
  /// - Throws: `StartError.invalidSetting`, also when a variable looks like a setting, and is none.
  static func words(
    environment: [String: String]
  ) throws(StartError) -> [String: [String]] {
    let settings = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.variable, $0) })
    let prefixes = ["LISTSYNCD_", "LISTSYNC_MAX_"]
    let given = environment.filter { name, _ in
      settings[name] != nil
        || name != Setting.fileVariable && prefixes.contains { name.hasPrefix($0) }
    }
    let values = given.sorted { $0.key < $1.key }.map { name, text in
      (name: name, setting: settings[name], words: settings[name]?.words(variable: text))
    }
    return try words(
      values, place: "in the environment",
      known: Setting.all.map(\.variable) + [Setting.fileVariable])
  }

  /// The words for the members of the JSON object in a file, by the names of the settings.
  ///
  /// - Throws: `StartError.unreadableSettings`, also for a member that stands twice;
  ///   `.invalidSetting`, also for a member that is no setting, or has another kind of value.
  static func words(file path: String) throws(StartError) -> [String: [String]] {
    let settings = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.name, $0) })
    let values = try members(ofFile: path).map { name, value in
      (name: name, setting: settings[name], words: settings[name]?.words(member: value))
    }
    return try words(values, place: "in \(path)", known: Setting.all.map(\.name))
  }

  private static func members(
    ofFile path: String
  ) throws(StartError) -> [(name: String, value: ContentView)] {
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw .unreadableSettings(path: path, reason: error.localizedDescription)
    }
    do throws(JSONError) {
      var parser = JSONParser(bytes)
      parser.skipWhitespace()
      guard parser.current == UInt8(ascii: "{") else { throw parser.unexpected("an object") }
      return ContentView(try Content(json: bytes)).members
    } catch {
      let position = TextPosition(offset: error.offset, in: bytes)
      throw .unreadableSettings(path: path, reason: "\(position): \(error)")
    }
  }

  private static func words(
    _ values: [(name: String, setting: Setting?, words: [String]?)], place: String,
    known: [String]
  ) throws(StartError) -> [String: [String]] {
    var all: [String: [String]] = [:]
    for (name, setting, words) in values {
      guard let setting else {
        throw .invalidSetting(
          name.shortened, place: place,
          reason: "no such setting; write \(known.joined(separator: ", ")).")
      }
      guard let words else {
        throw .invalidSetting(name, place: place, reason: "write \(setting.form).")
      }
      // The system would cut a path there.
      if words.contains(where: { $0.contains("\0") }) {
        throw .invalidSetting(name, place: place, reason: "remove the character U+0000.")
      }
      do {
        _ = try ListSyncD.parse(words)
      } catch {
        throw .invalidSetting(name, place: place, reason: ListSyncD.message(for: error))
      }
      all[setting.name] = words
    }
    return all
  }
}
