// Stub of the Swift overlay of Darwin: names and types as in the Swift project's Platform.swift; bodies are empty.
@_exported import Darwin
public var errno: Int32 {
  get { 0 }
  set {}
}
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 {
  0
}
@discardableResult public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 {
  0
}
@discardableResult public func openat(
  _ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t
) -> Int32 { 0 }
@discardableResult public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { 0 }
@discardableResult public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { 0 }
@discardableResult public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { 0 }
@discardableResult public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { 0 }
@discardableResult public func ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt {
  0
}
@discardableResult public func ioctl(_ fd: CInt, _ request: UInt) -> CInt { 0 }
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var S_IFMT: mode_t { 0 }
public var S_IFIFO: mode_t { 0 }
public var S_IFCHR: mode_t { 0 }
public var S_IFDIR: mode_t { 0 }
public var S_IFBLK: mode_t { 0 }
public var S_IFREG: mode_t { 0 }
public var S_IFLNK: mode_t { 0 }
public var S_IFSOCK: mode_t { 0 }
public var S_IFWHT: mode_t { 0 }
public var S_ISUID: mode_t { 0 }
public var S_ISGID: mode_t { 0 }
public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { fatalError() }
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { fatalError() }
nonisolated(unsafe) public let MAP_FAILED: UnsafeMutableRawPointer! = UnsafeMutableRawPointer(bitPattern: -1)
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { _CLOCK_PROCESS_CPUTIME_ID }
@frozen public struct DarwinBoolean: ExpressibleByBooleanLiteral, Sendable {
  @usableFromInline var _value: UInt8
  public init(_ value: Bool) { _value = value ? 1 : 0 }
  public var boolValue: Bool { _value != 0 }
  public init(booleanLiteral value: Bool) { self.init(value) }
}
public func _convertBoolToDarwinBoolean(_ x: Bool) -> DarwinBoolean { DarwinBoolean(x) }
public func _convertDarwinBooleanToBool(_ x: DarwinBoolean) -> Bool { x.boolValue }
