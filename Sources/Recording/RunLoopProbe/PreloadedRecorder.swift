import CoreFoundation
import Foundation
import TraceFormat

/// The library that `rltrace record` loads into a program, found by the symbols that it exports.
@safe struct PreloadedRecorder: Sendable {
  private typealias IsRecording = @convention(c) () -> Int32
  private typealias String_ = @convention(c) (UnsafePointer<CChar>) -> UInt32
  private typealias Object = @convention(c) () -> UInt32
  private typealias Release = @convention(c) (UInt32) -> Void
  private typealias Frames = @convention(c) (UnsafeMutableRawPointer) -> Void
  private typealias Emit = @convention(c) (UInt8, UInt32, UnsafePointer<UInt64>?, UInt8) -> Void

  private let stringFunction: String_
  private let objectFunction: Object
  private let releaseFunction: Release
  private let emitFunction: Emit
  /// Nil in an older library.
  private let framesFunction: Frames?

  /// Returns nil if this process is not recorded from outside.
  init?() {
    func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
      // RTLD_DEFAULT is a null pointer on Linux and -2 on Apple systems, where no library is preloaded.
      guard let address = unsafe dlsym(nil, name) else { return nil }
      // SAFETY: these are the declarations in include/rltrace_preload.h.
      return unsafe unsafeBitCast(address, to: type)
    }
    guard let isRecording = symbol("rltrace_preload_is_recording", as: IsRecording.self), isRecording() != 0,
      let string = unsafe symbol("rltrace_preload_string", as: String_.self),
      let object = symbol("rltrace_preload_object", as: Object.self),
      let release = symbol("rltrace_preload_release", as: Release.self),
      let emit = unsafe symbol("rltrace_preload_emit", as: Emit.self)
    else { return nil }
    unsafe stringFunction = string
    objectFunction = object
    releaseFunction = release
    unsafe emitFunction = emit
    unsafe framesFunction = symbol("rltrace_frames", as: Frames.self)
  }

  func string(_ text: String) -> UInt32 {
    text.isEmpty ? 0 : unsafe text.withCString { unsafe stringFunction($0) }
  }
  func makeObject() -> UInt32 { objectFunction() }
  func release(object: UInt32) { releaseFunction(object) }

  func emit(_ kind: EventKind, object: UInt32, _ arguments: [UInt64]) {
    unsafe arguments.withUnsafeBufferPointer {
      unsafe emitFunction(kind.rawValue, object, $0.baseAddress, UInt8(arguments.count))
    }
  }

  /// Declares a timer a frame source.
  func frames(_ timer: CFRunLoopTimer) {
    guard let declare = unsafe framesFunction else { return }
    unsafe declare(Unmanaged.passUnretained(timer).toOpaque())
  }
}
