import Foundation

/// Stalls of different kinds, each in a different function, to test what sampled stacks show.
enum Stalls {
  /// The length of each stall.
  nonisolated(unsafe) private static var seconds = 0.5

  /// Runs the stalls one after another in a timer's callout. SECONDS sets the length of each; names select some of
  /// them.
  static func run(_ arguments: [String]) {
    var arguments = arguments
    if let wanted = Double(arguments.first ?? "") {
      seconds = wanted
      arguments.removeFirst()
    }
    let usual: [(name: String, body: () -> Void)] = [
      ("drawing", layoutSubviews), ("network", requestFromServer), ("disk", saveFile), ("cpu", compute),
      ("lock", waitForLock), ("ipc", askHelper),
    ]
    let others: [(name: String, body: () -> Void)] = [
      ("deadlock", takeTwoLocks), ("deaf", computeDeaf), ("handler", computeWithHandler),
      ("mixed", waitAndCompute), ("end", sleepLongAndCompute), ("semaphore", waitForSignal),
      ("queue", waitForQueue), ("inside-queue", waitInsideQueue), ("burst", queueManyBlocks),
      ("watchdog", killedByWatchdog), ("at-once", computeOnThreeLoops),
    ]
    nonisolated(unsafe) var left =
      arguments.isEmpty ? usual : (usual + others).filter { [arguments] in arguments.contains($0.name) }
    let timer = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { timer in
      if left.isEmpty { return timer.invalidate() }
      let next = left.removeFirst()
      next.body()
      print(next.name)
    }
    while timer.isValid { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
  }

  /// Queues blocks that are individually too short to be sampled, but together take as long as a stall.
  static func queueManyBlocks() {
    for _ in 0..<Int(seconds / 0.02) {
      DispatchQueue.main.async { importOne() }
    }
  }

  @inline(never)
  static func importOne() {
    parse(until: DispatchTime.now() + 0.01)
    store(until: DispatchTime.now() + 0.01)
    results += 1
  }

  @inline(never)
  private static func parse(until end: DispatchTime) {
    var sum = 0
    while DispatchTime.now() < end { for i in 0..<2_000 { sum = sum &* 31 &+ i } }
    results ^= sum
  }

  @inline(never)
  private static func store(until end: DispatchTime) {
    var sum = 0
    while DispatchTime.now() < end { for i in 0..<2_000 { sum = sum &* 37 &+ i } }
    results ^= sum
  }

  /// Uses the results of the work, so that the compiler keeps it.
  nonisolated(unsafe) private static var results = 0

  private static func isOver(_ start: DispatchTime) -> Bool {
    Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) >= seconds * 1e9
  }

  @inline(never)
  static func layoutSubviews() {
    let start = DispatchTime.now()
    var width = 1.0
    while !isOver(start) {
      for _ in 0..<20_000 { width = (width * 1.0001).truncatingRemainder(dividingBy: 7) }
    }
    results += "\(width)".count
  }

  @inline(never)
  static func compute() {
    let start = DispatchTime.now()
    var sum = 0
    while !isOver(start) { for i in 0..<20_000 { sum = sum &* 31 &+ i } }
    results ^= sum
  }

  @inline(never)
  static func requestFromServer() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(listener, $0, length)
        _ = listen(listener, 1)
        _ = getsockname(listener, $0, &length)
      }
    }
    Thread.detachNewThread {
      let connection = accept(listener, nil, nil)
      usleep(UInt32(seconds * 1e6))
      _ = send(connection, "x", 1, 0)
      close(connection)
    }
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
    }
    var answer: UInt8 = 0
    _ = recv(client, &answer, 1, 0)
    close(client)
    close(listener)
  }

  @inline(never)
  static func saveFile() {
    let start = DispatchTime.now()
    let path = NSTemporaryDirectory() + "rltrace-stall-\(getpid())"
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    while !isOver(start) {
      _ = pwrite(file, bytes, bytes.count, 0)
      fsync(file)
    }
    close(file)
    unlink(path)
  }

  private static let model = NSLock()
  private static let view = NSLock()

  @inline(never)
  static func waitForLock() {
    let isTaken = DispatchSemaphore(value: 0)
    Thread.detachNewThread { keepLock(isTaken) }
    isTaken.wait()
    model.lock()
    model.unlock()
  }

  @inline(never)
  static func keepLock(_ isTaken: DispatchSemaphore) {
    model.lock()
    isTaken.signal()
    usleep(UInt32(seconds * 1e6))
    model.unlock()
  }

  private static let letters = DispatchQueue(label: "letters")

  @inline(never)
  static func waitForQueue() {
    let hasBegun = DispatchSemaphore(value: 0)
    letters.async { sendLetters(hasBegun) }
    hasBegun.wait()
    letters.sync { results += 1 }
  }

  @inline(never)
  static func sendLetters(_ hasBegun: DispatchSemaphore) {
    hasBegun.signal()
    usleep(UInt32(seconds * 1e6))
    // Otherwise the call would replace this function on the stack.
    results += 1
  }

  @inline(never)
  static func waitInsideQueue() { letters.sync { waitForOwnCondition() } }

  /// The condition is on this thread's stack, as is the word at which Dispatch waits for a queue.
  @inline(never)
  static func waitForOwnCondition() {
    var lock = pthread_mutex_t(), condition = pthread_cond_t(), end = timespec()
    pthread_mutex_init(&lock, nil)
    pthread_cond_init(&condition, nil)
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += 1
    pthread_mutex_lock(&lock)
    while pthread_cond_timedwait(&condition, &lock, &end) == 0 {}
    pthread_mutex_unlock(&lock)
  }

  /// Dispatch's functions that wait with a timeout have no unwind table, and the call goes through a stub.
  @inline(never)
  static func waitForSignal() {
    let signal = DispatchSemaphore(value: 0)
    if signal.wait(timeout: .now() + seconds) == .success { results += 1 }
  }

  @inline(never)
  static func askHelper() {
    let helper = Process()
    let answers = Pipe()
    helper.executableURL = URL(fileURLWithPath: "/bin/sh")
    helper.arguments = ["-c", "sleep \(seconds); echo x"]
    helper.standardOutput = answers
    try? helper.run()
    _ = answers.fileHandleForReading.readDataToEndOfFile()
  }

  /// Three loops compute at the same time. A thread that computes has no reason to wait.
  static func computeOnThreeLoops() {
    let done = DispatchSemaphore(value: 0)
    let waits = [computeAndCountWaits(done), computeAndCountWaits(done)]
    compute()
    for _ in waits { done.wait() }
    print(waits.allSatisfy { $0.value < 4 } ? "no thread waited" : "waits: \(waits.map(\.value))")
  }

  private final class Count: @unchecked Sendable { var value = 0 }

  private static func computeAndCountWaits(_ done: DispatchSemaphore) -> Count {
    let count = Count()
    Thread.detachNewThread {
      let timer = Timer(timeInterval: 0.01, repeats: false) { _ in
        let before = voluntarySwitches
        compute()
        count.value = voluntarySwitches - before
      }
      RunLoop.current.add(timer, forMode: .default)
      while timer.isValid { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
      done.signal()
    }
    return count
  }

  private static var voluntarySwitches: Int {
    var usage = rusage()
    getrusage(1, &usage)  // RUSAGE_THREAD
    return usage.ru_nvcsw
  }

  /// Computes with all signals blocked.
  @inline(never)
  static func computeDeaf() {
    var all = sigset_t()
    var kept = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &kept)
    compute()
    pthread_sigmask(SIG_SETMASK, &kept, nil)
  }

  @inline(never)
  static func computeWithHandler() {
    signal(SIGURG) { _ in }
    compute()
    signal(SIGURG, SIG_DFL)
  }

  /// Waits for the lock twice as long as it computes.
  @inline(never)
  static func waitAndCompute() {
    waitForLock()
    waitForLock()
    compute()
  }

  /// Sleeps for so long that few samples are taken at its end, and then computes.
  @inline(never)
  static func sleepLongAndCompute() {
    usleep(1_350_000)
    compute()
  }

  /// Like a system's watchdog: kills the program exactly one second after the stall began.
  @inline(never)
  static func killedByWatchdog() {
    let limit = DispatchTime.now() + 1
    Thread.detachNewThread {
      while DispatchTime.now() < limit { usleep(1000) }
      kill(getpid(), SIGKILL)
    }
    while true { compute() }
  }

  /// Never ends.
  @inline(never)
  static func takeTwoLocks() {
    let isTaken = DispatchSemaphore(value: 0)
    Thread.detachNewThread { takeThemTheOtherWay(isTaken) }
    model.lock()
    isTaken.wait()
    view.lock()
  }

  @inline(never)
  static func takeThemTheOtherWay(_ isTaken: DispatchSemaphore) {
    view.lock()
    isTaken.signal()
    usleep(20_000)
    model.lock()
  }
}
