// The functions of C that the libraries use.

public func memcmp(
  _ first: UnsafeRawPointer!, _ second: UnsafeRawPointer!, _ byteCount: Int
) -> Int32 { 0 }

public func memcpy(
  _ target: UnsafeMutableRawPointer!, _ source: UnsafeRawPointer!, _ byteCount: Int
) -> UnsafeMutableRawPointer! { target }

public func memchr(
  _ bytes: UnsafeRawPointer!, _ byte: Int32, _ byteCount: Int
) -> UnsafeMutableRawPointer! { nil }
