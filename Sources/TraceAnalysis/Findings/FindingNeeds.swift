/// What a recording must hold for a finding's absence to mean something.
public enum FindingNeeds {
  public static let duePoints: Set<FindingRule> = [
    .starvedByMode, .starvedByBusy, .starvedByNoRun, .starvedByItself, .lostWhileSuspended,
    .declaredStarvation, .defaultModeWhileTracking, .unseenMode, .lateWakeUps, .overdueAtEnd,
  ]
  public static let profile: Set<FindingRule> = [.overLimit, .backgroundTotal]
  public static let highStamps: Set<FindingRule> = [.costlyObservers]
  public static let callouts: Set<FindingRule> = [
    .costsTracking, .nestedRuns, .mainQueueWaits, .slowSource, .wakesForNothing, .slowWhileTracking,
  ]
}
