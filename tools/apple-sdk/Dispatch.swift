// Stub: the few names of Dispatch that the recording side uses, with the real overlay's signatures.
public enum DispatchTimeInterval: Sendable {
  case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}
public enum DispatchTimeoutResult: Sendable { case success, timedOut }
public struct DispatchTime: Comparable, Sendable {
  public let rawValue: UInt64
  public var uptimeNanoseconds: UInt64 { rawValue }
  public static func now() -> DispatchTime { DispatchTime(rawValue: 0) }
  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue < b.rawValue }
  public static func + (a: DispatchTime, b: DispatchTimeInterval) -> DispatchTime { a }
}
open class DispatchObject {}
public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  public init(value: Int) {}
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  @discardableResult public func signal() -> Int { 0 }
}
public final class DispatchQueue: DispatchObject, @unchecked Sendable {
  public convenience init(label: String) { self.init() }
  public static var main: DispatchQueue { DispatchQueue() }
  public static func global() -> DispatchQueue { DispatchQueue() }
  public func async(execute work: @escaping @Sendable () -> Void) {}
  public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
}
