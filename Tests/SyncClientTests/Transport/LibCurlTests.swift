import Foundation
import Testing

@testable import SyncClientHTTP

/// The numbers and functions of libcurl that are declared here.
struct LibCurlTests {
  private struct OptionDescription {
    let name: UnsafePointer<CChar>
    let number: CInt
  }

  @Test func optionsHaveTheNumbersOfTheLibrary() throws {
    let library = try #require(LibCurl.standardNames.lazy.compactMap { dlopen($0, RTLD_NOW) }.first)
    // Since 7.73.
    let symbol = try #require(dlsym(library, "curl_easy_option_by_id"))
    let description = unsafeBitCast(
      symbol, to: (@convention(c) (CInt) -> UnsafeRawPointer?).self)
    for option in LibCurl.Option.allCases {
      let found = description(option.rawValue)?.load(as: OptionDescription.self)
      let name = found.map { String(cString: $0.name).filter { $0 != "_" } }
      #expect(name == "\(option)".uppercased())
    }
  }

  @Test func machineWithoutLibcurlIsToldSo() {
    for (name, words) in [("libnone.so.4", "has no libcurl"), ("libc.so.6", "older than 7.68")] {
      #expect {
        try LibCurl(names: [name])
      } throws: { error in
        (error as? LibCurl.Missing)?.reason.contains(words) == true
      }
    }
  }
}
