import Foundation
import ListStore

/// PostgreSQL's client library. It is loaded when a store on a server is first opened, so a program
/// that uses only SQLite does not need it.
///
/// - Source: https://www.postgresql.org/docs/current/libpq.html
struct LibPQ: @unchecked Sendable {
  typealias Text = UnsafePointer<CChar>

  private let connectdbParams:
    @convention(c) (UnsafePointer<Text?>, UnsafePointer<Text?>, CInt) -> OpaquePointer?
  let finish: @convention(c) (OpaquePointer) -> Void
  let status: @convention(c) (OpaquePointer) -> CInt
  let errorMessage: @convention(c) (OpaquePointer) -> Text?
  let serverVersion: @convention(c) (OpaquePointer) -> CInt
  let connectionNeedsPassword: @convention(c) (OpaquePointer) -> CInt
  let connectionUsedPassword: @convention(c) (OpaquePointer) -> CInt
  let consumeInput: @convention(c) (OpaquePointer) -> CInt
  let setNoticeProcessor:
    @convention(c) (
      OpaquePointer, (@convention(c) (UnsafeMutableRawPointer?, Text?) -> Void)?,
      UnsafeMutableRawPointer?
    ) -> OpaquePointer?

  let exec: @convention(c) (OpaquePointer, Text) -> OpaquePointer?
  let sendQueryParams:
    @convention(c) (
      OpaquePointer, Text, CInt, UnsafePointer<UInt32>?, UnsafePointer<Text?>?,
      UnsafePointer<CInt>?, UnsafePointer<CInt>?, CInt
    ) -> CInt
  let sendPrepare: @convention(c) (OpaquePointer, Text, Text, CInt, UnsafePointer<UInt32>?) -> CInt
  let sendQueryPrepared:
    @convention(c) (
      OpaquePointer, Text, CInt, UnsafePointer<Text?>?, UnsafePointer<CInt>?,
      UnsafePointer<CInt>?, CInt
    ) -> CInt
  let enterPipelineMode: @convention(c) (OpaquePointer) -> CInt
  let exitPipelineMode: @convention(c) (OpaquePointer) -> CInt
  let pipelineSync: @convention(c) (OpaquePointer) -> CInt
  let setSingleRowMode: @convention(c) (OpaquePointer) -> CInt
  let getResult: @convention(c) (OpaquePointer) -> OpaquePointer?
  let putCopyData: @convention(c) (OpaquePointer, Text, CInt) -> CInt
  let putCopyEnd: @convention(c) (OpaquePointer, Text?) -> CInt

  let resultStatus: @convention(c) (OpaquePointer) -> CInt
  let resultErrorField: @convention(c) (OpaquePointer, CInt) -> Text?
  let clear: @convention(c) (OpaquePointer) -> Void
  let ntuples: @convention(c) (OpaquePointer) -> CInt
  let getisnull: @convention(c) (OpaquePointer, CInt, CInt) -> CInt
  let getlength: @convention(c) (OpaquePointer, CInt, CInt) -> CInt
  let getvalue: @convention(c) (OpaquePointer, CInt, CInt) -> UnsafeMutableRawPointer?

  /// The library, or the reason why it cannot be loaded.
  static let loaded = Result<LibPQ, Missing> { () throws(Missing) in try LibPQ() }

  /// Thrown when this machine lacks the library or one of its functions.
  struct Missing: Error {
    let reason: String
  }

  #if canImport(Darwin)
    private static let names = ["libpq.5.dylib", "libpq.dylib"]
  #else
    private static let names = ["libpq.so.5"]
  #endif

  private init() throws(Missing) {
    guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else {
      throw Missing(
        reason: "PostgreSQL's client library, \(Self.names[0]), is not on this machine")
    }
    func function<Function>(_ name: String) throws(Missing) -> Function {
      guard let address = dlsym(library, "PQ\(name)") else {
        throw Missing(reason: "PostgreSQL's client library has no function PQ\(name)")
      }
      return unsafeBitCast(address, to: Function.self)
    }
    connectdbParams = try function("connectdbParams")
    finish = try function("finish")
    status = try function("status")
    errorMessage = try function("errorMessage")
    serverVersion = try function("serverVersion")
    connectionNeedsPassword = try function("connectionNeedsPassword")
    connectionUsedPassword = try function("connectionUsedPassword")
    consumeInput = try function("consumeInput")
    setNoticeProcessor = try function("setNoticeProcessor")
    exec = try function("exec")
    sendQueryParams = try function("sendQueryParams")
    sendPrepare = try function("sendPrepare")
    sendQueryPrepared = try function("sendQueryPrepared")
    enterPipelineMode = try function("enterPipelineMode")
    exitPipelineMode = try function("exitPipelineMode")
    pipelineSync = try function("pipelineSync")
    setSingleRowMode = try function("setSingleRowMode")
    getResult = try function("getResult")
    putCopyData = try function("putCopyData")
    putCopyEnd = try function("putCopyEnd")
    resultStatus = try function("resultStatus")
    resultErrorField = try function("resultErrorField")
    clear = try function("clear")
    ntuples = try function("ntuples")
    getisnull = try function("getisnull")
    getlength = try function("getlength")
    getvalue = try function("getvalue")
  }
}

extension LibPQ {
  /// Connects to a server, and waits for the outcome.
  ///
  /// - Parameter parameters: names and values. A later one overrides an earlier one. The value of
  ///   `dbname` may be an address, which can contain further parameters.
  /// - Returns: nil if there is not enough memory.
  func connect(to parameters: KeyValuePairs<String, String>) -> OpaquePointer? {
    let names: [Text?] = parameters.map { UnsafePointer(strdup($0.key)) } + [nil]
    let values: [Text?] = parameters.map { UnsafePointer(strdup($0.value)) } + [nil]
    defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
    return connectdbParams(names, values, 1)
  }
}

/// The statuses of results that are used here.
enum ResultStatus {
  static let commandOK: CInt = 1
  static let tuplesOK: CInt = 2
  static let copyIn: CInt = 4
  static let singleTuple: CInt = 9
}

enum ErrorField {
  static let sqlState = CInt(UnicodeScalar("C").value)
  static let primaryMessage = CInt(UnicodeScalar("M").value)
}
