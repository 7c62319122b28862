import TraceFormat

/// Returns a trace of about a kilobyte with every kind of block, small enough to test each of its bytes.
package func smallTrace(codec: CodecID, _ random: inout SeededGenerator) throws -> [UInt8] {
  let text = """
    rltrace-text 1
    header minor=0 unit=10ns codec=\(codec.name) capture=callouts clock=monotonic high=yes
    info
      "program" "test"
    strings
      1 "main loop"
      2 "blink"
    threads
      0 os=77 main=yes "main"
      1 os=78 main=no "worker"
    modes
      1 "kCFRunLoopDefaultMode"
    sync
      0 monotonic=1000 boottime=1000 realtime=1700000000000000000
    unknown type=200 count=2 thread=1 first=3 last=4 plain=3
      0102ff
    \(eventSection(thread: 0, passes: 3, &random))
    \(eventSection(thread: 1, passes: 1, &random))
    sync
      900000 monotonic=9001000 boottime=9001000 realtime=1700000000009000000
    end
    """
  return try assembleTrace(text)
}

private func eventSection(thread: Int, passes: Int, _ random: inout SeededGenerator) -> String {
  var time: UInt64 = 0
  var lines = ["events thread=\(thread)", "  0 loop.create #1 name=1", "  0 kind-250 #9 arg=1 arg=2"]
  func add(_ event: String) {
    time += random.next() % 5_000
    if random.oneIn(20) { time += 1 << 31 }
    lines.append("  \(time) \(event)")
  }
  for pass in 0..<passes {
    add("BeforeTimers.low m1 #1")
    add("BeforeSources.low m1 #1")
    add("timer.due m1 #2 due=\(Int64(time) - 300)")
    add("timer.begin m1 #2")
    add("timer.end m1 #2")
    if pass & 1 == 1 { add("stack reason=0 frame=0x1000 frame=0x2000") } else { add("stack reason=1") }
    add("BeforeWaiting.low m1 #\(random.next() % 3)")
    add("AfterWaiting.low m\(random.next() % 2) #1")
  }
  return lines.joined(separator: "\n")
}
