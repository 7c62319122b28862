// Stub of QuartzCore: what the recorder reads of a display link, with the signatures of Apple's SDK.
@_exported import Foundation

@available(macOS 14.0, *)
open class CADisplayLink: NSObject {
  override public init() {}
  open var timestamp: CFTimeInterval { 0 }
  open var targetTimestamp: CFTimeInterval { 0 }
}
