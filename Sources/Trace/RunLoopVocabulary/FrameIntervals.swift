/// The intervals of timers that make frames: 240 to 24 per second.
package enum FrameIntervals {
  package static let ns: ClosedRange<UInt64> = 4_000_000...42_000_000
}
