import RunLoopVocabulary

/// The numbers of frames. The rest of `frames` had a suspension or a loss between their due point and their end.
package struct FrameCounts {
  package internal(set) var frames: UInt64 = 0
  package internal(set) var onTime: UInt64 = 0
  package internal(set) var late: UInt64 = 0

  mutating func add(_ outcome: FrameOutcome) {
    frames &+= 1
    switch outcome {
    case .onTime: onTime &+= 1
    case .late: late &+= 1
    case .unknown: break
    }
  }

  static func &+= (a: inout FrameCounts, b: FrameCounts) {
    a.frames &+= b.frames
    a.onTime &+= b.onTime
    a.late &+= b.late
  }
}
