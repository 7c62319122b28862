import CallStacks
import SystemSupport
import TraceAnalysis

extension ConfidenceReason {
  /// The reason in words for people.
  package var words: String {
    switch self {
    case .oneSample:
      "a single sample cannot distinguish code that takes a long time from code that happened to run"
    case .fewSamples(let count): "only \(count) samples"
    case .samples(let count): "\(count) samples"
    case .share(let share):
      "\((share * 1000).rounded() / 10)".with("", for: ".0")
        + " % of the samples that did not wait for events"
    case .imagesUnknown: "the text does not show which image contains the function"
    case .imagesGuessed:
      "only its name suggests that the image is the app's; \(Hint.appImages)"
    case .imagePassedOver(let image):
      "the text does not show whether \(elided(image, limit: 80)) belongs to the app; \(Hint.thisAppImage)"
    case .namePassedOver: "a function further in has neither name nor image, and may be the app's"
    case .framesMissing: "frames of the stack are missing"
    case .noName: "the function has no name; symbolicate the text first"
    case .causeUnknown: "no rule knows what held the function"
    case .causeLikely: "the stack makes the cause likely, but does not prove it"
    case .noOwnFrame: "no function of the app is on the stack; \(Hint.appImages)"
    case .onlyOutsideTheLoop:
      "functions of the app are only outside the code that runs the loop, and did not hold it"
    case .runTimeCode: "the function is not known, because its code was made at run time"
    case .noFrames: "there are no frames"
    }
  }
}
