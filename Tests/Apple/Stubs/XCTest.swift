// The names are those of XCTest.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The part of XCTest that the tests of the app use.

public import Foundation

open class XCTestCase: NSObject {}

public func XCTAssertEqual<Value: Equatable>(
  _ first: @autoclosure () throws -> Value, _ second: @autoclosure () throws -> Value,
  _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
) {}

public func XCTUnwrap<Value>(
  _ value: @autoclosure () throws -> Value?, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) throws -> Value { try value()! }
