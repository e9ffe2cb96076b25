// The part of Dispatch that the libraries use. All of it is in iOS 8, macOS 10.10, tvOS 9 and
// watchOS 2.

public struct DispatchQoS: Sendable {
  public enum QoSClass: Sendable { case userInitiated }
}

open class DispatchGroup: @unchecked Sendable {
  public init() {}
  public func wait() {}
}

open class DispatchQueue: @unchecked Sendable {
  public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
  public class func global(qos: DispatchQoS.QoSClass) -> DispatchQueue { DispatchQueue() }
  public func async(group: DispatchGroup, execute work: @escaping @Sendable () -> Void) {}
}
