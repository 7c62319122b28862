import RunLoopVocabulary

/// What a stack says of why its thread did not go on.
public struct CauseRule: Sendable {
  public let id: String
  public let cause: StallCause
  /// A sentence.
  public let means: String
  /// What to do about it, a sentence.
  public let remedy: String?
  /// The thread waits for events, and nothing holds it.
  public let isWaiting: Bool
  /// Of the package's own rules.
  public let isBuiltIn: Bool

  let frame: FramePattern?
  let caller: FramePattern?
  let systemCalls: [Glob]
  let descriptors: [DescriptorKind]
  let cpuAbove: Double?
  let cpuBelow: Double?
  let isSuspended: Bool
  let ownCodeRuns: Bool

  /// What must be the case besides the frames.
  func allows(_ evidence: StallEvidence) -> Bool {
    if isSuspended, !evidence.isSuspended { return false }
    // A backtrace does not say it: then the rule below that asks for none has to do.
    if !descriptors.isEmpty, !descriptors.contains(evidence.descriptor) { return false }
    if let cpuAbove { return evidence.cpuShare.map { $0 > cpuAbove } ?? false }
    // A stack that waits speaks for itself: not knowing the processor's time is nothing against it.
    if let cpuBelow, let share = evidence.cpuShare, share >= cpuBelow { return false }
    return true
  }
}

/// Which frames a rule speaks of.
struct FramePattern: Sendable {
  var symbols: [Glob]
  var images: [Glob]
  /// Functions of the app count as well.
  var own: Bool
  /// Of a caller: at most so many frames further out.
  var within: Int?

  func matches(_ compared: ComparedFrame, _ belonging: AppImages.Belonging) -> Bool {
    guard own || belonging != .own else { return false }
    guard images.isEmpty || compared.frame.image.map(images.anyMatches) ?? false else { return false }
    guard !symbols.isEmpty else { return true }
    return [compared.symbol, compared.demangled].contains { $0.map(symbols.anyMatches) ?? false }
  }
}
