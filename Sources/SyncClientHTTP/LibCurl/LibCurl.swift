import CLibCurl
import Foundation

/// The system's libcurl, 7.68 or newer. It is loaded by the first exchange, so that a program which
/// uses no network does not need it.
///
/// - Source: https://curl.se/libcurl/c/allfuncs.html
struct LibCurl: @unchecked Sendable {
  // Unchecked because the pointers are those of functions.
  typealias Handle = UnsafeMutableRawPointer

  private let easySetopt: UnsafeMutableRawPointer
  private let easyGetinfo: UnsafeMutableRawPointer
  let easyInit: @convention(c) () -> Handle?
  let easyCleanup: @convention(c) (Handle) -> Void
  let slistAppend: @convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?
  let slistFreeAll: @convention(c) (Handle?) -> Void
  let multiInit: @convention(c) () -> Handle?
  let multiAddHandle: @convention(c) (Handle, Handle) -> CInt
  let multiRemoveHandle: @convention(c) (Handle, Handle) -> CInt
  let multiPerform: @convention(c) (Handle, UnsafeMutablePointer<CInt>) -> CInt
  let multiInfoRead:
    @convention(c) (Handle, UnsafeMutablePointer<CInt>) -> UnsafePointer<CurlMessage>?
  let multiPoll:
    @convention(c) (
      Handle, UnsafeMutableRawPointer?, CUnsignedInt, CInt, UnsafeMutablePointer<CInt>?
    ) -> CInt
  let multiWakeup: @convention(c) (Handle) -> CInt
  private let easyStrerror: @convention(c) (CInt) -> UnsafePointer<CChar>?

  /// The library, or the reason why it cannot be loaded.
  static let loaded = Result<LibCurl, Missing> { () throws(Missing) in
    try LibCurl(names: standardNames)
  }

  /// Thrown when this machine lacks the library, or one of its functions or options.
  struct Missing: Error {
    let reason: String
  }

  #if canImport(Darwin)
    static let standardNames = ["libcurl.4.dylib"]
  #else
    // With OpenSSL, and as Debian has it with GnuTLS.
    static let standardNames = ["libcurl.so.4", "libcurl-gnutls.so.4"]
  #endif

  init(names: [String]) throws(Missing) {
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else {
      throw Missing(
        reason: "this machine has no libcurl, which is needed for HTTP: \(names[0]) does not load")
    }
    func address(_ name: String) throws(Missing) -> UnsafeMutableRawPointer {
      if let address = dlsym(library, "curl_\(name)") { return address }
      throw Missing(reason: "this machine's libcurl is older than 7.68: it has no curl_\(name)")
    }
    func function<Function>(_ name: String) throws(Missing) -> Function {
      unsafeBitCast(try address(name), to: Function.self)
    }
    easySetopt = try address("easy_setopt")
    easyGetinfo = try address("easy_getinfo")
    easyInit = try function("easy_init")
    easyCleanup = try function("easy_cleanup")
    easyStrerror = try function("easy_strerror")
    slistAppend = try function("slist_append")
    slistFreeAll = try function("slist_free_all")
    multiInit = try function("multi_init")
    multiAddHandle = try function("multi_add_handle")
    multiRemoveHandle = try function("multi_remove_handle")
    multiPerform = try function("multi_perform")
    multiInfoRead = try function("multi_info_read")
    multiPoll = try function("multi_poll")
    multiWakeup = try function("multi_wakeup")
    let globalInit: @convention(c) (CLong) -> CInt = try function("global_init")
    guard globalInit(Self.initializesAll) == 0 else {
      throw Missing(reason: "this machine's libcurl cannot be initialised")
    }
  }

  /// CURL_GLOBAL_ALL.
  private static let initializesAll: CLong = 3

  /// The words of libcurl for a code.
  func text(of code: CInt) -> String {
    easyStrerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

extension LibCurl {
  /// The options of a transfer that are used. A test compares their names with libcurl's.
  ///
  /// - Source: `CURLOPT` in curl/curl.h; the ten thousands are the kind of the value.
  enum Option: CInt, CaseIterable {
    case connectTimeout = 78
    case noSignal = 99
    case httpVersion = 84
    case httpContentDecoding = 158
    case http09Allowed = 285
    case pathAsIs = 234
    case protocols = 181
    case followLocation = 52
    case netrc = 51
    case disallowUsernameInURL = 278
    case sslVersion = 32
    case sslVerifyPeer = 64
    case sslVerifyHost = 81
    case postFieldSize = 60
    case quickExit = 322
    case url = 10002
    case proxy = 10004
    case errorBuffer = 10010
    case httpHeader = 10023
    case customRequest = 10036
    case copyPostFields = 10165
    case caInfo = 10065
    case writeData = 10001
    case headerData = 10029
    case writeFunction = 20011
    case headerFunction = 20079
    case preReqData = 10313
    case preReqFunction = 20312
  }

  /// What is read of a transfer that has ended.
  ///
  /// - Source: `CURLINFO` in curl/curl.h
  enum Info: CInt {
    case sslVerifyResult = 0x20_000D
    case osErrno = 0x20_0019
  }

  func set(_ option: Option, to value: CLong, of easy: Handle) throws(Missing) {
    try check(curlSetNumber(easySetopt, easy, option.rawValue, value), option)
  }

  /// Copies a text.
  func set(_ option: Option, to text: String, of easy: Handle) throws(Missing) {
    try check(curlSetPointer(easySetopt, easy, option.rawValue, text), option)
  }

  /// - Parameter pointer: to memory that stays valid as long as the handle.
  func set(
    _ option: Option, to pointer: UnsafeMutableRawPointer?, of easy: Handle
  ) throws(Missing) {
    try check(curlSetPointer(easySetopt, easy, option.rawValue, pointer), option)
  }

  /// Copies a body, whose size must be set.
  func copyBody(_ body: [UInt8], of easy: Handle) throws(Missing) {
    let code = body.withUnsafeBytes { bytes in
      curlSetPointer(easySetopt, easy, Option.copyPostFields.rawValue, bytes.baseAddress)
    }
    try check(code, .copyPostFields)
  }

  func set(_ option: Option, to receiver: CurlReceiver, of easy: Handle) throws(Missing) {
    try check(curlSetReceiver(easySetopt, easy, option.rawValue, receiver), option)
  }

  func set(_ option: Option, to starter: CurlStarter, of easy: Handle) throws(Missing) {
    try check(curlSetStarter(easySetopt, easy, option.rawValue, starter), option)
  }

  private func check(_ code: CInt, _ option: Option) throws(Missing) {
    guard code != 0 else { return }
    throw Missing(reason: "this machine's libcurl refuses \(option): \(text(of: code))")
  }

  /// A number about a transfer; 0 if libcurl does not know it.
  func number(_ info: Info, of easy: Handle) -> Int {
    var value: CLong = 0
    _ = curlGetNumber(easyGetinfo, easy, info.rawValue, &value)
    return value
  }
}
