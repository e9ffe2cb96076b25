import Foundation
import FuzzTargets

/// The target that LISTSYNC_FUZZ_TARGET names.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["LISTSYNC_FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    fatalError("LISTSYNC_FUZZ_TARGET: \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// Called by libFuzzer before it reads the corpus, which LISTSYNC_FUZZ_CORPUS names: the seeds are
/// written there.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ argc: UnsafeRawPointer, _ argv: UnsafeRawPointer) -> Int32 {
  guard let folder = ProcessInfo.processInfo.environment["LISTSYNC_FUZZ_CORPUS"] else { return 0 }
  for (number, seed) in target.seeds.enumerated() {
    let url = URL(fileURLWithPath: folder).appendingPathComponent("seed-\(number)")
    try? Data(seed).write(to: url)
  }
  return 0
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do {
    _ = try target.run(bytes)
  } catch {
    fatalError("\(error)")
  }
  return 0
}
