import RunLoopVocabulary

/// The reliability of a blame.
package enum Confidence: Int, Sendable, Named, Comparable {
  case none, low, medium, high

  package var name: String {
    switch self {
    case .none: "none"
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    }
  }

  package static func < (a: Confidence, b: Confidence) -> Bool { a.rawValue < b.rawValue }
}

/// A reason for the confidence in a blame.
package enum ConfidenceReason: Hashable, Sendable {
  /// There is only one sample, which cannot show whether the function ran for a long time or just happened to be
  /// running.
  case oneSample
  /// The number of samples is below `StackVerdict.manySamples`.
  case fewSamples(UInt64)
  case samples(UInt64)
  /// The share of the weight of all stacks that did not wait for events.
  case share(Double)
  /// The frames do not state their images.
  case imagesUnknown
  /// Only its name suggests that the image is the app's.
  case imagesGuessed
  /// An image further in may be the app's too: the text does not show it.
  case imagePassedOver(String)
  /// A function further in has neither name nor image, so it may be the app's.
  case namePassedOver
  /// The origin left out frames of the stack.
  case framesMissing
  /// The function has no name.
  case noName
  /// No rule explains what held the thread. The function is as certain as the other reasons allow, but the cause is
  /// unknown.
  case causeUnknown
  /// The rule for the cause does not prove it.
  case causeLikely
  case noOwnFrame
  /// The app's functions only occur outside the function that ran the loop, so they did not hold the thread.
  case onlyOutsideTheLoop
  /// The innermost function of the program has no name, because its code was made at run time.
  case runTimeCode
  case noFrames

  /// The name in machine-readable output.
  package var name: String {
    switch self {
    case .oneSample: "one_sample"
    case .fewSamples: "few_samples"
    case .samples: "samples"
    case .share: "share"
    case .imagesUnknown: "images_unknown"
    case .imagesGuessed: "images_guessed"
    case .imagePassedOver: "image_passed_over"
    case .namePassedOver: "name_passed_over"
    case .framesMissing: "frames_missing"
    case .noName: "no_name"
    case .causeUnknown: "cause_unknown"
    case .causeLikely: "cause_likely"
    case .noOwnFrame: "no_own_frame"
    case .onlyOutsideTheLoop: "only_outside_the_loop"
    case .runTimeCode: "run_time_code"
    case .noFrames: "no_frames"
    }
  }

  /// The highest confidence that the reason allows.
  var limit: Confidence {
    switch self {
    case .noOwnFrame, .onlyOutsideTheLoop, .runTimeCode, .noFrames: .none
    case .oneSample, .causeUnknown: .low
    case .share(let share): share < 0.5 ? .low : share < 0.8 ? .medium : .high
    case .fewSamples, .imagesUnknown, .imagesGuessed, .imagePassedOver, .namePassedOver, .framesMissing,
      .noName,
      .causeLikely:
      .medium
    case .samples: .high
    }
  }
}

/// The function that a stack is blamed on.
package struct Blame: Hashable, Sendable {
  /// The app's innermost function; nil when there is none.
  package let frame: StackFrame?
  /// Its index among the stack's frames.
  package let index: Int?
  /// The reasons to doubt the blame that follow from this stack alone.
  package let doubts: [ConfidenceReason]
}

/// The rule that holds for a stack, and the frame that it matched.
package struct CauseMatch: Sendable {
  package let cause: StallCause
  /// Nil when no rule holds.
  package let rule: CauseRule?
  /// Nil when the rule does not refer to a frame.
  package let frame: StackFrame?
  package let index: Int?
  /// The caller of that frame, if the rule requires one.
  package let caller: StackFrame?
  /// The index of the outermost frame that is a part of the cause. Loops up to it are parts of the cause as well.
  let end: Int?
}
