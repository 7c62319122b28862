// The only file that handles differences in CoreFoundation between systems. This project's tests run only the Linux
// half. The Apple half is written against the same C API and has never been run.
import CoreFoundation
// On Linux, CoreFoundation's code is in libFoundation, which this import links.
import Foundation
// Re-exported for apps: types of the tracer's parameters.
@_exported import enum RunLoopVocabulary.LifePhase
@_exported import enum RunLoopVocabulary.ModeName

/// Wraps CoreFoundation calls whose Swift spellings differ between systems.
package enum CF {
  #if os(Linux)
  /// On Linux, a source1 waits for a file descriptor to become readable.
  typealias Port = Int32

  package static func mode(_ name: String) -> CFString {
    // CFRunLoop identifies the common modes by the constant's address, not by its text.
    name == ModeName.common ? kCFRunLoopCommonModes : string(name)
  }
  static func pointer(_ mode: CFString) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(mode).toOpaque()
  }
  #else
  typealias Port = mach_port_t

  package static func mode(_ name: String) -> CFRunLoopMode {
    name == ModeName.common ? CFRunLoopMode.commonModes : CFRunLoopMode(string(name))
  }
  static func pointer(_ mode: CFRunLoopMode) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(mode.rawValue).toOpaque()
  }
  #endif

  /// Returns the argument that CFRunLoopPerformBlock takes for several modes.
  static func modes(_ names: [String]) -> CFTypeRef {
    #if os(Linux)
    if names.count == 1 { return mode(names[0]) }
    #else
    if names.count == 1 { return mode(names[0]).rawValue }
    #endif
    let array: CFMutableArray = unsafe withUnsafePointer(to: kCFTypeArrayCallBacks) {
      unsafe CFArrayCreateMutable(nil, 0, $0)
    }
    for name in names {
      let mode = mode(name)
      withExtendedLifetime(mode) { unsafe CFArrayAppendValue(array, pointer(mode)) }
    }
    return array
  }

  package static func string(_ text: String) -> CFString {
    let utf8 = Array(text.utf8)
    return unsafe CFStringCreateWithBytes(
      nil, utf8, utf8.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
  }

  static func text(_ string: CFString) -> String {
    let size =
      CFStringGetMaximumSizeForEncoding(CFStringGetLength(string), CFStringBuiltInEncodings.UTF8.rawValue) + 1
    var buffer = [CChar](repeating: 0, count: size)
    guard unsafe CFStringGetCString(string, &buffer, size, CFStringBuiltInEncodings.UTF8.rawValue) else {
      return ""
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the names of a loop's existing modes.
  static func modes(of loop: CFRunLoop) -> [String] {
    guard let array = CFRunLoopCopyAllModes(loop) else { return [] }
    return (0..<CFArrayGetCount(array)).compactMap { index in
      unsafe CFArrayGetValueAtIndex(array, index).map { unsafe text(unsafeBitCast($0, to: CFString.self)) }
    }
  }

  /// Creates a source1 that waits on `port`. The callbacks retain and release `info`.
  static func source1(
    order: CFIndex, info: UnsafeMutableRawPointer,
    retain: @escaping @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer?,
    release: @escaping @convention(c) (UnsafeRawPointer?) -> Void
  ) -> CFRunLoopSource? {
    var context = unsafe CFRunLoopSourceContext1()
    unsafe context.version = 1
    unsafe context.info = info
    unsafe context.retain = retain
    unsafe context.release = release
    unsafe context.getPort = { info in unsafe SourceCallout.from(info).port }
    #if os(Linux)
    unsafe context.perform = { info in unsafe SourceCallout.from(info).perform() }
    #else
    unsafe context.perform = { _, _, _, info in
      unsafe SourceCallout.from(info).perform()
      return nil
    }
    #endif
    return unsafe withUnsafeMutablePointer(to: &context) { pointer in
      unsafe pointer.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
        unsafe CFRunLoopSourceCreate(nil, order, $0)
      }
    }
  }
}

/// A CoreFoundation object that CoreFoundation itself protects with a lock: run loops, timers, sources, observers.
struct Guarded<Object>: @unchecked Sendable {
  let object: Object
  init(_ object: Object) { self.object = object }
}
