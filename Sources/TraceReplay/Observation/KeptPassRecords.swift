/// Copies of pass records without their fires, for later use. Reuses its memory.
@safe public final class KeptPassRecords {
  private var times = Rows<UInt64>()
  private var called = Rows<EqualPassRecords.Called>()
  /// The records that were kept last.
  public private(set) var records: EqualPassRecords

  public init(_ records: EqualPassRecords) {
    self.records = records
    keep(records)
  }

  public func keep(_ records: EqualPassRecords) {
    let before = records.goesOn ? records.length : 0
    let (events, callouts) = (before &+ records.count &* records.length, records.count &* records.callouts)
    if times.capacity < events { times = Rows(capacity: events) }
    if called.isMissing || called.capacity < callouts { called = Rows(capacity: callouts) }
    // SAFETY: both counts match the records, and there is room for them.
    unsafe times.pointer(0).update(from: records.times - before, count: events)
    unsafe called.pointer(0).update(from: records.called, count: callouts)
    self.records = unsafe EqualPassRecords(
      records, times: times.pointer(0) + before, called: called.pointer(0))
  }
}
