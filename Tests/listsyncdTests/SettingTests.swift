import ArgumentParser
import Foundation
import ListModel
import ListStore
import Logging
import TestSupport
import Testing

@testable import listsyncd

struct SettingTests {
  /// Reads settings from all three sources.
  private func parse(
    _ arguments: [String] = [], environment: [String: String] = [:], file: String? = nil
  ) throws -> ListSyncD {
    var arguments = arguments
    if let file {
      let url = try TemporaryFolder.make().appendingPathComponent("settings.json")
      defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
      try Data(file.utf8).write(to: url)
      arguments += ["--config", url.path]
      return try ListSyncD.parse(arguments, environment: environment)
    }
    return try ListSyncD.parse(arguments, environment: environment)
  }

  /// The text of the error that settings cause.
  private func refusal(_ environment: [String: String] = [:], file: String? = nil) throws -> String
  {
    do {
      _ = try parse(environment: environment, file: file)
    } catch let error as StartError {
      return StartFailure(error)?.message ?? ""
    }
    return ""
  }

  @Test func storeThatCannotBeWrittenIsRefusedWithWhatToDo() {
    let error = StoreError.cannotOpen(store: "s.db", reason: "Permission denied")
    let advice = StartFailure(error)?.advice ?? ""
    #expect(advice.contains("write the store's file and its folder"))
    #expect(advice.contains("listsync backup") && advice.contains("listsync publish"))
  }

  @Test func passwordOfADatabaseIsNoArgument() throws {
    let address = "postgresql://u:secret@h/db"
    #expect(throws: StartError.self) { try parse(["--store", address]) }
    let settings = try parse(environment: ["LISTSYNC_STORE": address])
    #expect(settings.store.name == "postgresql://u@h/db")
  }

  @Test func everyOptionIsASetting() throws {
    let help = Data(ListSyncD._dumpHelp().utf8)
    let tool = try #require(try JSONSerialization.jsonObject(with: help) as? [String: Any])
    let command = try #require(tool["command"] as? [String: Any])
    let arguments = try #require(command["arguments"] as? [[String: Any]])
    let options = arguments.compactMap { $0["names"] as? [[String: Any]] }.compactMap {
      $0.first { $0["kind"] as? String == "long" }?["name"] as? String
    }
    #expect(Set(options) == Set(Setting.all.map(\.name) + ["config", "version", "help"]))
  }

  @Test func sharedVariablesAreThoseOfListsync() {
    let shared = Setting.all.filter(\.isShared).map(\.variable)
    #expect(
      Set(shared)
        == Set(["LISTSYNC_STORE", BusyWait.variable] + Limit.allCases.map(\.variable)))
  }

  /// `Documentation/Server.md` has a row for each setting, and no others.
  @Test func pageOfTheServerListsEverySettingInThreeSpellings() throws {
    let page = try String(
      contentsOf: Project.root.appendingPathComponent("Documentation/Server.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `--") }
      .map { $0.split(separator: "|").prefix(3).joined(separator: "|") }
    #expect(rows == Setting.all.map { " `\($0.option)` | `\($0.variable)` | `\($0.name)` " })
    let help = ListSyncD.helpMessage()
    for setting in Setting.all {
      #expect(help.contains(try Regex("\(setting.option) +\(setting.variable) +\(setting.name)\n")))
    }
  }

  @Test func optionComesBeforeEnvironmentBeforeFileBeforeDefault() throws {
    let variables = ["LISTSYNCD_PORT": "2", "LISTSYNCD_HOST_NAME": "b,c"]
    let file = #"{"port": 3, "host-name": ["d"], "log-level": "debug"}"#
    #expect(try parse().address.port == 8080)
    #expect(try parse(file: file).address.port == 3)
    #expect(try parse(environment: variables, file: file).address.port == 2)
    let all = try parse(["--port", "1", "--host-name=a"], environment: variables, file: file)
    #expect(all.address.port == 1)
    #expect(all.address.hostNames == ["a"])
    #expect(all.log.level == .debug)
    #expect(try parse(environment: variables, file: file).address.hostNames == ["b", "c"])
    #expect(try parse(file: file).address.hostNames == ["d"])
    let tokens = ["LISTSYNCD_WITHOUT_TOKENS": "false"]
    #expect(try parse(file: #"{"without-tokens": true}"#).address.isWithoutTokens)
    #expect(
      try !parse(environment: tokens, file: #"{"without-tokens": true}"#).address.isWithoutTokens)
  }

  @Test(arguments: Limit.allCases) func everySourceSetsEveryLimit(_ limit: Limit) throws {
    let name = "max-\(limit.rawValue)"
    #expect(try parse().limits.limits == .standard)
    #expect(try parse(["--\(name)", "7"]).limits.limits[limit] == 7)
    #expect(try parse(environment: [limit.variable: "8"]).limits.limits[limit] == 8)
    #expect(try parse(file: "{\"\(name)\": 9}").limits.limits[limit] == 9)
  }

  @Test func helpTellsTheTrueDefaults() throws {
    let help = ListSyncD.helpMessage(columns: 500)
    let command = try parse()
    for (option, value) in [
      ("wait", command.store.waitSeconds), ("port", command.address.port),
      ("max-body", command.bounds.bodyByteCount),
      ("max-connections", command.bounds.connectionCount),
      ("idle-timeout", command.bounds.idleSeconds),
      ("shutdown-timeout", command.bounds.shutdownSeconds),
    ] {
      #expect(
        help.contains(try Regex("--\(option) <.*\n?.*\\(default: \(value)\\)")), "\(option)")
    }
  }

  @Test(arguments: [
    ("LISTSYNCD_PORT", "70000", "a whole number from 0 to 65535"),
    ("LISTSYNCD_PORT", "", "Missing value"),
    ("LISTSYNCD_MAX_BODY", "0", "a whole number from 1 to"),
    ("LISTSYNC_WAIT", "-1", "a whole number from 0 to 86400"),
    ("LISTSYNC_MAX_DEPTH", "513", "a whole number from 1 to 512"),
    ("LISTSYNCD_WITHOUT_TOKENS", "maybe", "true or false"),
    ("LISTSYNCD_WITHOUT_TOKENS", "1", "true or false"),
    ("LISTSYNCD_HOST_NAME", "a,", "Missing value"),
    ("LISTSYNCD_CONFG", "a.json", "LISTSYNCD_CONFIG"),
    ("LISTSYNCD_LOG_FORMAT", "xml", "json"),
    ("LISTSYNCD_ALLOW_ORIGIN", "https://a.example,b", "an origin such as"),
    ("LISTSYNCD_PROT", "1", "LISTSYNCD_PORT"),
    ("LISTSYNC_MAX_ITEM", "1", "LISTSYNC_MAX_ITEMS"),
  ])
  func badVariableIsRefusedByItsName(variable: String, value: String, allowed: String) throws {
    let text = try refusal([variable: value])
    #expect(text.hasPrefix("\(variable) in the environment: "), "\(text)")
    #expect(text.contains(allowed), "\(text)")
  }

  @Test(arguments: [
    (#"{"port": 70000}"#, "port", "a whole number from 0 to 65535"),
    (#"{"port": true}"#, "port", "a whole number"),
    (#"{"port": [1]}"#, "port", "a whole number"),
    (#"{"port": "80"}"#, "port", "a whole number"),
    (#"{"port": 80.5}"#, "port", "a whole number from 0 to 65535"),
    (#"{"port": 1e99}"#, "port", "a whole number from 0 to 65535"),
    (#"{"host-name": "a"}"#, "host-name", "an array of texts"),
    (#"{"store": "a\u0000b"}"#, "store", "remove the character U+0000"),
    (#"{"store": 5}"#, "store", "a text"),
    (#"{"host-name": [5]}"#, "host-name", "an array of texts"),
    (#"{"without-tokens": "maybe"}"#, "without-tokens", "true or false"),
    (#"{"prot": 8080}"#, "prot", "port"),
    (#"{"config": "other.json"}"#, "config", "port"),
    (#"{"tls": {"key": "a"}}"#, "tls", "tls-key"),
    (#"{"tls-certificate": {"file": "a"}, "tls-key": "b"}"#, "tls-certificate", "a text"),
    (#"{"tls-key": null}"#, "tls-key", "a text"),
    (#"{"port": null}"#, "port", "a whole number"),
    (#"{"port": {"number": 1}}"#, "port", "a whole number"),
    (#"{"host-name": {"0": "a"}}"#, "host-name", "an array of texts"),
    (#"{"without-tokens": 1}"#, "without-tokens", "true or false"),
    (#"{"without-tokens": "true"}"#, "without-tokens", "true or false"),
    (#"{"read-from": "replica.db"}"#, "read-from", "an address: postgresql://"),
  ])
  func badMemberOfTheFileIsRefusedByItsName(file: String, name: String, allowed: String) throws {
    // Also where another source replaces the value.
    let text = try refusal(["LISTSYNCD_PORT": "1"], file: file)
    #expect(text.hasPrefix("\(name) in /") && text.contains("settings.json: "), "\(text)")
    #expect(text.contains(allowed), "\(text)")
  }

  @Test(arguments: [
    ("", "line 1, column 1: the input ends where an object is expected: it was cut off"),
    ("[]", #"line 1, column 1: expected an object, found "[""#),
    ("8080", #"line 1, column 1: expected an object, found "8""#),
    ("{\n  \"port\": 1", "line 2, column 12: the input ends where ',' or '}'"),
    ("{\"port\": 1,\n}", #"line 2, column 1: expected "#),
    ("{\"port\": 1}\n{}", #"line 2, column 1: expected the end of the input, found "{""#),
    ("{\"port\": 1,\n \"port\": 2}", #"line 2, column 2: member "port" stands twice"#),
    ("{\"store\": \"\u{1}\"}", "line 1, column 12: control character"),
  ])
  func fileThatIsNoObjectIsRefusedWithTheLineAndColumn(file: String, reason: String) throws {
    let text = try refusal(file: file)
    #expect(text.contains("settings.json: the settings cannot be read: \(reason)"), "\(text)")
  }

  @Test func fileThatCannotBeReadIsRefusedWithTheReason() throws {
    let error = #expect(throws: StartError.self) { try parse(["--config", "/"]) }
    guard case .unreadableSettings("/", let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func numberOfTheFileMayBeWrittenInAnyFormOfJSON() throws {
    #expect(try parse(file: #"{"port": 8.1e3}"#).address.port == 8100)
  }

  /// Each source is read by itself, so a setting must not need another one there.
  @Test func standbyOfADatabaseIsReadFromEverySource() throws {
    let (store, standby) = ("postgresql://h/db", "postgresql://s/db")
    let members = #"{"store": "\#(store)", "read-from": "\#(standby)"}"#
    let variables = ["LISTSYNC_STORE": store, "LISTSYNCD_READ_FROM": standby]
    for settings in [
      try parse(file: members), try parse(environment: variables),
      try parse(["--read-from", standby], environment: ["LISTSYNC_STORE": store]),
      try parse(environment: ["LISTSYNCD_READ_FROM": standby], file: #"{"store": "\#(store)"}"#),
    ] {
      #expect(settings.store.readFrom == standby && settings.store.path == store)
    }
  }

  @Test func fileHasNoStandby() throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("a.db").path
    let command = try parse(
      ["--store", file], environment: ["LISTSYNCD_READ_FROM": "postgresql://s/db"])
    let error = #expect(throws: StartError.self) { try command.store.service(.standard) }
    #expect(error.flatMap { StartFailure($0) }?.code == 2)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  /// Browsers send lower case, and no standard port.
  @Test(arguments: [
    ("https://A.Example", "https://a.example"), ("HTTPS://b.example:443", "https://b.example"),
    ("http://b.example:80", "http://b.example"),
    ("http://b.example:443", "http://b.example:443"), ("http://[::1]:80", "http://[::1]"),
    ("https://b.example:8443", "https://b.example:8443"), ("*", "*"),
  ])
  func allowedOriginIsTheOneThatBrowsersSend(_ text: String, _ origin: String) throws {
    #expect(try parse(["--allow-origin", text]).address.allowedOrigins == [origin])
  }

  @Test(arguments: [
    "", "a.example", "ftp://a.example", "https://", "https://:443", "https://a.example/",
    "https://a.example?b", "https://a b", "https://me@a.example", "https://bücher.example",
  ])
  func textThatIsNoOriginIsRefused(_ text: String) {
    #expect(throws: (any Error).self) { try parse(["--allow-origin=\(text)"]) }
  }

  @Test func variableNamesTheFile() throws {
    let error = #expect(throws: StartError.self) {
      try parse(environment: [Setting.fileVariable: "/absent/a.json"])
    }
    guard case .unreadableSettings("/absent/a.json", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// The installed example is valid.
  @Test func exampleOfTheSystemdUnitIsRead() throws {
    let path = Project.root.appendingPathComponent("Examples/systemd/listsyncd.json").path
    let command = try ListSyncD.parse(["--config", path], environment: [:])
    #expect(command.store.path == "/var/lib/listsync/listsync.db")
  }
}

struct LogFormatTests {
  @Test func jsonLineHasTimeLevelMessageAndFields() throws {
    let line = LogFormat.json.line(
      .warning, "a \"quoted\"\nmessage", ["id": "x\u{1}", "count": .stringConvertible(3)])
    #expect(!line.contains("\n"))
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(Set(object.keys) == ["time", "level", "message", "fields"])
    #expect(object["level"] as? String == "warning")
    #expect(object["message"] as? String == "a \"quoted\"\nmessage")
    let fields = try #require(object["fields"] as? [String: Any])
    #expect(fields["id"] as? String == "x\u{1}" && fields["count"] as? Int == 3)
  }

  @Test func textLineHasFieldsInTheOrderOfTheirNames() {
    let line = LogFormat.text.line(.info, "request", ["ms": .stringConvertible(4), "id": "x"])
    #expect(line.hasSuffix("Z info request id=x ms=4"))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func firstLineTellsWhatIsServedAndTheLastThatTheServerStopped(_ signal: Int32) async throws {
    let folder = try TemporaryFolder.make()
    try Data(#"[{"id":"a"}]"#.utf8).write(to: folder.appendingPathComponent("a.json"))
    for list in ["a", "b"] { _ = try await Shell.listsync("commit \(list) a.json", in: folder) }
    let server = try ServerProgram(
      ["--log-format", "json", "--max-connections", "3"], folder: folder)
    let address = try await server.address()
    _ = try await Shell.run(
      "curl -s -X PUT -H 'If-None-Match: *' --data '[]' \(address)/v1/lists/parks", in: folder)
    server.signal(signal)
    #expect(try await server.end() == 0)
    let lines = try server.logText.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["message"] as? String } == ["started", "request", "stopped"])
    let fields = try #require(lines[0]["fields"] as? [String: Any])
    #expect(fields["version"] as? String == Build.version)
    #expect(fields["store"] as? String == folder.appendingPathComponent("listsync.db").path)
    #expect(fields["address"] as? String == address)
    #expect(fields["lists"] as? Int == 2)
  }

  @Test func failureIsAJSONLineToo() async throws {
    let server = try ServerProgram(["--log-format", "json", "--tls-key", "key.pem"])
    #expect(try await server.end() == 2)
    let line = try #require(
      try JSONSerialization.jsonObject(with: Data(server.logText.utf8)) as? [String: Any])
    #expect(line["level"] as? String == "critical")
    #expect((line["message"] as? String)?.contains("give both files") == true)
  }
}
