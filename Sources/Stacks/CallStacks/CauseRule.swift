import RunLoopVocabulary

/// A rule that derives from a stack why its thread made no progress.
package struct CauseRule: Sendable {
  package let id: String
  package let cause: StallCause
  /// The meaning, as a sentence.
  package let means: String
  /// The advice, as a sentence.
  package let remedy: String?
  /// Whether the thread waits for events, so that nothing holds it.
  package let isWaiting: Bool
  /// Whether this is one of the package's own rules.
  package let isBuiltIn: Bool

  let frame: FramePattern?
  let caller: FramePattern?
  let systemCalls: [Glob]
  let descriptors: [DescriptorKind]
  let cpuAbove: Double?
  let cpuBelow: Double?
  let isSuspended: Bool
  let ownCodeRuns: Bool
  /// Whether the thread must have been running; nil = does not matter.
  let isRunning: Bool?
  /// Whether the cause follows from the conditions, and is not only likely.
  package let isCertain: Bool

  /// Returns whether the rule's conditions other than the frames hold.
  func allows(_ evidence: StallEvidence) -> Bool {
    if isSuspended, !evidence.isSuspended { return false }
    if let isRunning, isRunning != evidence.isRunning { return false }
    // A backtrace does not show the descriptor. Then a later rule without descriptors applies.
    if !descriptors.isEmpty, !descriptors.contains(evidence.descriptor) { return false }
    if let cpuAbove { return evidence.cpuShare.map { $0 > cpuAbove } ?? false }
    // A waiting stack is evidence by itself, so an unknown CPU time does not exclude the rule.
    if let cpuBelow, let share = evidence.cpuShare, share >= cpuBelow { return false }
    return true
  }
}

/// The frames that a rule applies to.
struct FramePattern: Sendable {
  var symbols: [Glob]
  var images: [Glob]
  /// Whether functions of the app may match.
  var own: Bool
  /// For a caller: the maximum number of frames further out.
  var within: Int?

  func matches(_ compared: ComparedFrame, _ belonging: AppImages.Belonging) -> Bool {
    guard own || belonging != .own else { return false }
    guard images.isEmpty || compared.frame.image.map(images.anyMatches) ?? false else { return false }
    guard !symbols.isEmpty else { return true }
    return [compared.symbol, compared.demangled].contains { $0.map(symbols.anyMatches) ?? false }
  }
}
