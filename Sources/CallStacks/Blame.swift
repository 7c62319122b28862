import RunLoopVocabulary

/// How far a blame can be trusted.
public enum Confidence: Int, Sendable, Named, Comparable {
  case none, low, medium, high

  public var name: String {
    switch self {
    case .none: "none"
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    }
  }

  public static func < (a: Confidence, b: Confidence) -> Bool { a.rawValue < b.rawValue }
}

/// Why a blame is trusted as far as it is.
public enum ConfidenceReason: Hashable, Sendable {
  /// The origin is one moment: what is long and what merely happened to run cannot be told apart.
  case oneSample
  /// Fewer than `StackVerdict.manySamples`.
  case fewSamples(UInt64)
  case samples(UInt64)
  /// Of the weight of all stacks that did not wait for events.
  case share(Double)
  /// The frames do not say which image they are of.
  case imagesUnknown
  /// Nothing but its name says that the image is the app's.
  case imagesGuessed
  /// An image further in may be the app's as well: the text does not say.
  case imagePassedOver(String)
  /// The function has no name.
  case noName
  /// No rule says what held it: the function is as sure as the other reasons say, and what it did is not.
  case causeUnknown
  case noOwnFrame
  /// Functions of the app stand only outside of what ran the loop: they did not hold it.
  case onlyOutsideTheLoop
  case noFrames

  /// For programs.
  public var name: String {
    switch self {
    case .oneSample: "one_sample"
    case .fewSamples: "few_samples"
    case .samples: "samples"
    case .share: "share"
    case .imagesUnknown: "images_unknown"
    case .imagesGuessed: "images_guessed"
    case .imagePassedOver: "image_passed_over"
    case .noName: "no_name"
    case .causeUnknown: "cause_unknown"
    case .noOwnFrame: "no_own_frame"
    case .onlyOutsideTheLoop: "only_outside_the_loop"
    case .noFrames: "no_frames"
    }
  }

  /// More is not had with it.
  var limit: Confidence {
    switch self {
    case .noOwnFrame, .onlyOutsideTheLoop, .noFrames: .none
    case .oneSample, .causeUnknown: .low
    case .share(let share): share < 0.5 ? .low : share < 0.8 ? .medium : .high
    case .fewSamples, .imagesUnknown, .imagesGuessed, .imagePassedOver, .noName: .medium
    case .samples: .high
    }
  }
}

/// Whose function a stack was in.
public struct Blame: Hashable, Sendable {
  /// The innermost of the app's own, nil where there is none.
  public let frame: StackFrame?
  /// Its place among the stack's frames.
  public let index: Int?
  /// What the one stack has against it.
  public let doubts: [ConfidenceReason]
}

/// Which rule holds for a stack, and by which frame.
public struct CauseMatch: Sendable {
  public let cause: StallCause
  /// Nil where none holds.
  public let rule: CauseRule?
  /// Nil where the rule speaks of no frame.
  public let frame: StackFrame?
  public let index: Int?
  /// The frame that called it, where the rule asks for one.
  public let caller: StackFrame?
}
