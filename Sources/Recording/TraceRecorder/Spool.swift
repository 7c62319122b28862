import CRLTraceShims
import SystemSupport
import TraceFormat

/// The shared memory of a recording: one ring for each traced thread, and the log of names. See rltrace_spool.h.
///
/// The memory is anonymous if this process records itself, and a file if another process does the recording or the
/// draining. Anonymous memory stays mapped until the process ends: a thread that was preempted inside `rlt_emit` may
/// still store into its ring after the recording has stopped. `trim` gives its pages back.
///
/// Nothing in a spool file is trusted. Its layout is checked once and copied here, and rings are read within bounds.
@safe package final class Spool: @unchecked Sendable {
  package static let ringCount = RLT_SPOOL_RINGS

  /// The path of the file; nil for anonymous memory.
  package let path: String?
  private let identity: FileIdentity?
  let header: UnsafeMutablePointer<rlt_spool>
  private let memory: UnsafeMutableRawPointer
  let byteCount: Int
  let slotsPerRing: Int
  let namesRange: Range<Int>
  private let slotsOffset: Int
  /// Flags that `seen` had earlier. Written by one thread.
  private let remembered = AtomicWord()
  /// The number of thread indexes that were claimed after the file was truncated.
  private let claimedAfterCut = AtomicWord()
  /// A `SpoolCut`, 0 = none. Set once, by the first thread that finds the cut.
  private let foundCut = AtomicWord()
  let origin: ClockReading
  let usesCycles: Bool
  let overwrites: Bool
  /// The capture level that the program reports.
  var captureLevel: CaptureLevel {
    unsafe header.pointee.flags & UInt32(RLT_SPOOL_ACTIVITIES_ONLY) != 0 ? .activities : .callouts
  }

  /// Whether changes stay in this process. Changes to the file by other processes may still show here.
  private let isPrivate: Bool
  /// Whether another process drains the spool and this one only looks: nothing can be changed.
  let isReadOnly: Bool

  init(
    memory: UnsafeMutableRawPointer, byteCount: Int, path: String?, isPrivate: Bool = false,
    isReadOnly: Bool = false, isGuarded: Bool = true
  ) {
    self.isPrivate = isPrivate
    self.isReadOnly = isReadOnly
    unsafe self.memory = memory
    self.byteCount = byteCount
    self.path = path
    identity = path.flatMap { FileIdentity(path: $0) }
    if path != nil, isGuarded { unsafe rlt_guard_mapping(memory, byteCount) }
    // SAFETY: the mapping is page-aligned and holds a sound header, see the callers.
    unsafe header = memory.bindMemory(to: rlt_spool.self, capacity: 1)
    slotsPerRing = unsafe Int(header.pointee.slots_per_ring)
    let names = unsafe Int(header.pointee.names_offset)
    namesRange = unsafe names..<names + Int(header.pointee.names_bytes)
    slotsOffset = unsafe Int(header.pointee.slots_offset)
    usesCycles = unsafe header.pointee.flags & UInt32(RLT_SPOOL_USES_CYCLES) != 0
    overwrites = unsafe header.pointee.flags & UInt32(RLT_SPOOL_OVERWRITES) != 0
    origin = unsafe ClockReading(header.pointee.origin)
  }

  /// Returns the value of `header.flags`.
  package static func flags(
    usesCycles: Bool = false, activitiesOnly: Bool = false, overwrites: Bool = false,
    mainThreadOnly: Bool = false, eventLoops: Bool = false, allQueues: Bool = false
  ) -> UInt32 {
    let flags: [(isSet: Bool, bit: UInt32)] = [
      (usesCycles, UInt32(RLT_SPOOL_USES_CYCLES)), (overwrites, UInt32(RLT_SPOOL_OVERWRITES)),
      (mainThreadOnly, UInt32(RLT_SPOOL_MAIN_THREAD_ONLY)),
      (activitiesOnly, UInt32(RLT_SPOOL_ACTIVITIES_ONLY)),
      (eventLoops, UInt32(RLT_SPOOL_EVENT_LOOPS)), (allQueues, UInt32(RLT_SPOOL_ALL_QUEUES)),
    ]
    return flags.reduce(0) { all, flag in flag.isSet ? all | flag.bit : all }
  }

  /// Creates memory for a recording of this process. `slotsPerRing` must be a power of two, 64 or more. Memory is
  /// reserved immediately and allocated page by page as rings fill.
  convenience init(
    slotsPerRing: Int, usesCycles: Bool, timeUnit: TimeUnit = .ns10
  ) throws(TraceFormatError) {
    precondition(
      slotsPerRing.nonzeroBitCount == 1 && slotsPerRing >= 64, "a ring's capacity is a power of two")
    guard
      let header = unsafe rlt_spool_make(
        -1, UInt64(slotsPerRing), Spool.flags(usesCycles: usesCycles), timeUnit.rawValue, UInt32(getpid()), 0,
        0)
    else {
      throw .system(what: "cannot map memory for the recorder's rings", code: errno)
    }
    unsafe self.init(memory: header, byteCount: Int(header.pointee.bytes), path: nil)
  }

  /// Creates the spool for a recording of this process, in a file or in memory.
  convenience init(
    own options: RecordingOptions, usesCycles: Bool, path: String?
  ) throws(TraceFormatError) {
    if let path {
      try self.init(
        creating: path,
        slotsPerRing: DiskRoom.slotsPerRing(options.slotsPerRing, in: Files.folder(of: path)),
        flags: Spool.flags(usesCycles: usesCycles, activitiesOnly: options.captureLevel == .activities),
        timeUnit: options.timeUnit, recording: .random(in: 1 ... .max), isGuarded: options.handlesBusErrors)
      unsafe rlt_spool_take(header)
      // A process that finds the file takes it for a recording, not for a leftover.
      unsafe rlt_spool_note(header, UInt32(RLT_SEEN_PROCESS | RLT_SEEN_FOUNDATION | RLT_SEEN_RUN))
    } else {
      try self.init(slotsPerRing: options.slotsPerRing, usesCycles: usesCycles, timeUnit: options.timeUnit)
    }
  }

  /// Creates the spool file of a program that this process is about to start, or of this process. Throws if the name
  /// is taken. All spools of one recording have the same number. `isGuarded`: whether a handler of SIGBUS lets this
  /// process survive a truncation of the file.
  package convenience init(
    creating path: String, slotsPerRing: Int, flags: UInt32, timeUnit: TimeUnit, recording: UInt64,
    isGuarded: Bool = true
  ) throws(TraceFormatError) {
    if Spool.isBlank(path) { unsafe unlink(path) }
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(what: "cannot create \(path)", code: errno) }
    defer { close(descriptor) }
    guard
      let header = unsafe rlt_spool_make(
        descriptor, UInt64(slotsPerRing), flags, timeUnit.rawValue, UInt32(getpid()), recording,
        isGuarded ? 1 : 0)
    else {
      let code = errno
      unsafe unlink(path)
      throw .system(what: "cannot write \(path)", code: code)
    }
    unsafe self.init(
      memory: header, byteCount: Int(header.pointee.bytes), path: path, isGuarded: isGuarded)
  }

  /// Returns whether a regular file begins like a spool.
  package static func isSpool(_ path: String, followingLinks: Bool = false) -> Bool {
    Files.begins(path, with: Array(RLT_SPOOL_MAGIC.utf8), followingLinks: followingLinks)
  }

  /// Returns whether a regular file is empty or begins with zeros. A process that is killed while it makes a spool
  /// leaves such a file.
  package static func isBlank(_ path: String) -> Bool {
    Files.begins(path, with: [UInt8](repeating: 0, count: RLT_SPOOL_HEADER_BYTES))
      || Files.isEmpty(path)
  }

  deinit {
    guard path != nil else { return }
    unsafe rlt_unguard_mapping(memory)
    unsafe munmap(memory, byteCount)
  }

  // MARK: Rings

  /// The number of rings that were ever handed out; these are the first ones. 0 if the spool was found cut.
  var usedRings: Int { isFoundCut ? 0 : unsafe min(Int(rlt_spool_rings_used(header)), Spool.ringCount) }

  func ring(_ number: Int) -> SpoolRing {
    let offset = Int(rlt_spool_slots_offset(UInt64(slotsPerRing), UInt32(number)))
    let slots = unsafe UnsafePointer((memory + offset).assumingMemoryBound(to: rlt_record.self))
    return unsafe SpoolRing(
      rlt_spool_ring(header, UInt32(number)), slots: slots, capacity: slotCount(ofRing: number))
  }

  /// Returns the number of slots of a ring. The first rings have `slotsPerRing`.
  func slotCount(ofRing number: Int) -> Int {
    Int(rlt_spool_ring_slots(UInt64(slotsPerRing), UInt32(number)))
  }

  /// Prepares memory for the headers of the first rings. Returns false if there is no memory.
  func back(rings: Int) -> Bool { unsafe rlt_spool_back_rings(header, UInt64(rings)) != 0 }

  /// Prepares memory for the first slots of a ring.
  func back(slots: Int, of ring: Int) -> Bool {
    unsafe rlt_spool_back_ring(header, rlt_spool_ring(header, UInt32(ring)), UInt64(slots)) != 0
  }

  /// Prepares memory for the first bytes of the log of names.
  func back(names bytes: Int) -> Bool { unsafe rlt_spool_back_names(header, UInt64(bytes)) != 0 }

  func backedSlots(of ring: Int) -> Int {
    unsafe Int(clamping: rlt_ring_backed(rlt_spool_ring(header, UInt32(ring))))
  }

  var backedNames: Int { unsafe Int(clamping: rlt_spool_names_backed(header)) }

  /// The number of bytes of the names log that are complete.
  var namesUsed: Int {
    isFoundCut ? 0 : unsafe Int(min(rlt_spool_names_used(header), UInt64(namesRange.count)))
  }

  /// The whole range of the log. A cut can make the used part empty at any moment, so it is queried once per reading.
  private var names: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: memory + namesRange.lowerBound, count: namesRange.count)
  }

  /// Returns the header of a log entry, without checking its contents.
  func nameEntry(at position: Int) -> rlt_name_entry {
    precondition(position >= 0 && position + MemoryLayout<rlt_name_entry>.size <= namesRange.count)
    return unsafe names.loadUnaligned(fromByteOffset: position, as: rlt_name_entry.self)
  }

  /// Returns bytes of the log.
  func names(_ range: Range<Int>) -> [UInt8] { unsafe Array(names[range]) }

  /// Claims a thread index for events that come from no ring.
  func claimThread() -> UInt32 {
    let last = UInt32(clamping: TraceLimits.threads - 1)
    if isReadOnly { return last }
    let claimed = unsafe rlt_spool_claim_thread(header)
    // A truncated file counts from zero again, so indexes are then taken from the end. This is checked after the claim,
    // because the file may be truncated at any moment.
    if isFoundCut || (!isPrivate && fileIsShort) {
      return last + 1 - UInt32(claimedAfterCut.add(1))
    }
    // Another claim may have used up the last index.
    return min(claimed, last)
  }

  /// Returns the number of events lost since the last call by threads without a ring.
  func takeRinglessLost() -> UInt64 {
    if isFoundCut { return 0 }
    return unsafe isReadOnly ? header.pointee.ringless_lost : rlt_spool_take_ringless_lost(header)
  }

  /// Gives the memory of the slots back. A late store brings one page of it back. The ring headers stay, because a
  /// late emit reads them.
  func trim() {
    #if os(Linux)
    unsafe madvise(memory + slotsOffset, byteCount - slotsOffset, MADV_REMOVE)
    #else
    unsafe madvise(memory + slotsOffset, byteCount - slotsOffset, MADV_FREE)
    #endif
  }

  /// Whether some ring is at least a quarter full.
  var isFilling: Bool {
    (0..<usedRings).contains { number in
      ring(number).unread >= ring(number).capacity / 4
    }
  }

  /// Returns where the oldest events that a ring still holds begin. In a spool that overwrites, these are not the
  /// oldest that were stored.
  func start(_ number: Int) -> UInt64 {
    let ring = ring(number)
    guard overwrites else { return ring.tail }
    let head = ring.head
    var start = head
    for mark in ring.marks {
      // An event may have been under way: the slots that it would overwrite do not count.
      // A damaged file can hold any numbers, so the sum is only formed if it is small.
      guard mark <= start, head - mark <= ring.capacity,
        head - mark + UInt64(Spool.slotsOfLargestEvent) <= ring.capacity
      else {
        break
      }
      start = mark
    }
    return start
  }

  private static let slotsOfLargestEvent = 1 + (TraceLimits.argumentsPerEvent + 1) / 2

  // MARK: The program

  var timeUnit: TimeUnit? { unsafe TimeUnit(rawValue: header.pointee.time_unit_ns) }

  /// The number of items whose callouts could not be bracketed.
  package var unwrapped: UInt64 { unsafe header.pointee.unwrapped }

  /// Whether there is something to read: a run loop ran, or work of queues or tasks without one.
  package var hasRun: Bool { hasSeen(Int(RLT_SEEN_CONTENT)) }
  package func hasSeen(_ what: Int) -> Bool {
    unsafe (rlt_spool_seen(header) | UInt32(remembered.value)) & UInt32(what) != 0
  }

  /// Remembers what the program has reported so far. A truncated file no longer holds it.
  func remember() { unsafe remembered.value |= UInt64(rlt_spool_seen(header)) }

  /// Gives back the slots of a ring before `tail`, whose `events` were written. Called by the drain.
  func giveBack(ring: Int, before tail: UInt64, events: Int) {
    if isReadOnly { return }
    unsafe rlt_spool_give_back(header, UInt32(ring), tail, UInt64(events))
  }

  /// Makes the ring of a thread that ended available to another thread.
  func free(_ ring: SpoolRing) { if !isReadOnly { ring.free() } }

  /// Counts events from no ring that `body` writes. They count only if `body` returns true.
  func countWritten<Failure: Error>(
    _ events: Int, _ body: () throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    if isReadOnly { return try body() }
    var isWritten = false
    unsafe rlt_spool_begin_writing(header, UInt64(events))
    defer { unsafe rlt_spool_end_writing(header, isWritten ? 1 : 0) }
    isWritten = try body()
    return isWritten
  }

  func countDropped(_ events: UInt64) { unsafe header.pointee.dropped_events &+= events }
  /// The number of events in files whose slots were given back, including those that were dropped since.
  var writtenEvents: UInt64 { unsafe rlt_spool_written_events(header) }
  /// The number of events from no ring that may be in files as well: the drain was killed while it wrote them.
  var perhapsWrittenEvents: UInt64 { unsafe rlt_spool_perhaps_written(header) }
  var droppedEvents: UInt64 { unsafe header.pointee.dropped_events }

  /// Notes that the trace, or the file that becomes the trace, holds all events of the spool.
  func noteWritten() { if !isReadOnly { unsafe rlt_spool_note(header, UInt32(RLT_SEEN_WRITTEN)) } }

  /// Does the same in the file of a spool that is mapped privately and that no other process uses.
  func noteWrittenInFile() {
    guard let path else { return }
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var seen = unsafe rlt_spool_seen(header) | UInt32(RLT_SEEN_WRITTEN)
    _ = unsafe pwrite(descriptor, &seen, 4, off_t(MemoryLayout<rlt_spool>.offset(of: \.seen)!))
  }

  /// Whether nothing was ever stored in the spool.
  var isUnused: Bool { (0..<usedRings).allSatisfy { ring($0).head == 0 } }

  /// Whether the file was truncated while it was in use, or the disk could not store it. From then on the content
  /// cannot be trusted. Never true of a private mapping.
  package var isCut: Bool {
    if isFoundCut || isPrivate { return isFoundCut }
    let isShort = fileIsShort
    if isShort || lacksPages { foundCut.value = (isShort ? SpoolCut.byTruncation : .byFullDisk).rawValue }
    return isFoundCut
  }

  /// Why the spool is cut, as found by `isCut`; nil = not found cut.
  package var cut: SpoolCut? { SpoolCut(rawValue: foundCut.value) }

  private var lacksPages: Bool {
    guard path != nil else { return false }
    // The beginning of a file that was truncated to nothing reads as zeros.
    return unsafe header.pointee.version == 0 || rlt_guard_faults(memory) > 0 || hasSeen(Int(RLT_SEEN_FAULT))
  }

  /// Whether the last check found the spool cut.
  var isFoundCut: Bool { foundCut.value != 0 }

  private var fileIsShort: Bool {
    var status = stat()
    guard let path, unsafe lstat(path, &status) == 0, FileIdentity(status) == identity else { return false }
    return status.st_size < byteCount
  }

  /// Whether the file was removed, or another file has its name. Processes that begin now do not find it.
  package var isTakenAway: Bool { path.map { FileIdentity(path: $0) != identity } ?? false }

  /// Removes the file when it is no longer needed.
  package func removeFile() {
    if let path, !isTakenAway { unsafe unlink(path) }
  }

  /// Returns a process of the recording that announced itself and has not been taken yet, or nil if there is none.
  package func takeChild() -> Int32? {
    let child = unsafe Int32(bitPattern: rlt_spool_take_child(header))
    return child == 0 ? nil : child
  }

  /// The number of the recording that the spool belongs to.
  package var recording: UInt64 { unsafe header.pointee.recording }

  /// The number of events and names that were lost because a disk had no room.
  package var lostForRoom: UInt64 {
    (0..<usedRings).reduce(unsafe rlt_spool_unbacked_names(header)) { $0 &+ ring($1).fullDiskLost }
  }

  /// The number of processes that are known not to have been recorded.
  package var leftOut: Int { unsafe Int(rlt_spool_left_out(header)) }
  /// The errno that explains why the last of them was not recorded; EAGAIN = too many came at once.
  package var leftOutError: Int32 { unsafe Int32(bitPattern: rlt_spool_left_out_error(header)) }

  /// The second reading of the trace's clock line; nil until the drain has it.
  var later: ClockReading? {
    get { unsafe ClockReading(known: header.pointee.later) }
    set { if let newValue, !isReadOnly { unsafe header.pointee.later = newValue.shared } }
  }

  /// A recent reading, in a spool that overwrites. In any other spool, the reading at its program's end.
  var latest: ClockReading? { unsafe ClockReading(known: header.pointee.latest) }

  /// The moment at which the program reported its end; nil if it did not.
  var notedEnd: ClockReading? {
    hasSeen(Int(RLT_SEEN_END)) && !hasSeen(Int(RLT_SEEN_FAULT)) ? latest : nil
  }

  /// Whether the process executed another program, which has its own spool if it runs loops.
  var hasExecuted: Bool { hasSeen(Int(RLT_SEEN_END)) && ending == UInt32(RLT_ENDING_EXEC) }

  /// The status that the process noted when it exited; nil if it noted none.
  var exitStatus: Int32? {
    ending == UInt32(RLT_ENDING_EXIT) ? unsafe Int32(header.pointee.exit_status & 0xFF) : nil
  }

  private var ending: UInt32 { isFoundCut ? UInt32(RLT_ENDING_UNKNOWN) : unsafe header.pointee.ending }

  /// Returns the signal that ended the process of `spool`, as its parent noted here; nil = no parent noted one.
  func reportedEnd(of spool: Spool) -> ProgramEnd? {
    let process = spool.visibleProgramID
    guard process > 0, !isFoundCut else { return nil }
    let number = unsafe rlt_spool_killer(header, UInt32(process), spool.programStart)
    return (1...64).contains(number) ? .signalled(Int32(number)) : nil
  }

  /// Notes that the recording process was seen running at that moment. Call it from one thread only.
  func noteAlive(_ reading: ClockReading) { unsafe rlt_spool_note_alive(header, reading.shared) }

  /// The last moment at which the recorder saw the process run; nil if it never checked.
  var lastSeenAlive: ClockReading? {
    var reading = rlt_clock_reading()
    return unsafe rlt_spool_newest_alive(header, &reading) != 0 ? ClockReading(reading) : nil
  }

  /// Whether the recorder currently cannot write the trace because its disk has no room.
  var isDiskFull: Bool {
    get { unsafe rlt_spool_is_disk_full(header) != 0 }
    set { if !isReadOnly { unsafe rlt_spool_set_disk_full(header, newValue ? 1 : 0) } }
  }

  /// Asks the program to write down the contents of its run loops.
  package func requestTopology() { unsafe rlt_spool_request_topology(header) }

  /// Asks the program to stop recording.
  package func stopRecording() { unsafe rlt_spool_stop(header) }

  /// Whether the clocks of this machine continue those of the spool, because it was not restarted.
  var isOfThisBoot: Bool { unsafe rlt_spool_is_of_this_boot(header) != 0 }
}

extension TraceFormatError {
  static func cutShort(bytes: Int, of whole: Int) -> TraceFormatError {
    .invalidInput(what: "cut short: only \(bytes) of \(whole) bytes exist; copy it again from its source")
  }

  static let notASpool = TraceFormatError.invalidInput(
    what: "not a spool of this version of rltrace; a spool is named NAME.rltrace.spool")
}
