import Backtraces
import CallStacks
import Foundation
import Testing

/// Crash reports of Apple's systems as text and JSON: reasons for the end, uncaught exceptions, and simulators.
@Suite struct AppleReportTests {
  /// Returns the crash report of Tests/Fixtures with `lines` before its first thread.
  private func crash(_ lines: String) throws -> String {
    try Reading.text("Stacks/apple-crash.txt").replacingOccurrences(
      of: "Thread 0 name:", with: lines + "\n\nThread 0 name:")
  }

  private func ips(_ members: String, file: String = "Stacks/crash.ips") throws -> String {
    let text = try Reading.text(file)
    let body = try #require(text.range(of: "\n{"))
    return text[..<body.upperBound] + members + "," + text[body.upperBound...]
  }

  // MARK: Reasons for the end of the process

  /// Reasons in the form of iOS 13 and later.
  private static let reasons = [
    "<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:[app<org.example.reader>:77] failed to terminate "
      + "gracefully after 5.0s",
    "ProcessVisibility: Background", "ProcessState: Running", "WatchdogEvent: process-exit",
    "WatchdogVisibility: Background", "WatchdogCPUStatistics: (",
    "\"Elapsed total CPU time (seconds): 8.470 (user 5.000, system 3.470), 71% CPU\",",
    "\"Elapsed application CPU time (seconds): 0.010, 0% CPU\"",
    ") reportType:CrashLog maxTerminationResistance:Interactive>",
  ]

  private func expectReasons(_ reading: Reading) {
    #expect(reading.facts(.termination) == ["FRONTBOARD 0x8badf00d"])
    #expect(
      reading.facts(.explanation) == [
        "[app<org.example.reader>:77] failed to terminate gracefully after 5.0s"
      ])
    #expect(reading.facts(.watchdogEvent) == ["process-exit"])
    #expect(reading.facts(.totalCPUTime) == ["8.470 s, 71 % CPU"])
    #expect(reading.facts(.appCPUTime) == ["0.010 s, 0 % CPU"])
  }

  @Test func reasonsOnLinesOfAText() throws {
    var text = try Reading.text("Stacks/apple-crash.txt")
    let reason = try #require(text.range(of: "Termination Reason:"))
    let end = try #require(text[reason.upperBound...].firstIndex(of: "\n"))
    let lines = (["FRONTBOARD 2343432205"] + Self.reasons).joined(separator: "\n")
    text.replaceSubrange(reason.upperBound..<end, with: " " + lines)
    for text in [text, text.withCRLF] {
      let reading = try Reading(text)
      expectReasons(reading)
      #expect(reading.blamed == ["Reader + 4220160"])
    }
  }

  /// A list of reasons, or a single text of several lines.
  @Test(arguments: [Self.reasons, [Self.reasons.joined(separator: "\n")]])
  func reasonsInJSON(reasons: [String]) throws {
    let list = String(decoding: try JSONEncoder().encode(reasons), as: UTF8.self)
    let reading = try Reading(
      ips("\"termination\": {\"namespace\": \"FRONTBOARD\", \"code\": 2343432205, \"reasons\": \(list)}"))
    expectReasons(reading)
    #expect(reading.blamed == ["Albums.load(from:)"])
  }

  /// A file lock that was held while the app was suspended.
  @Test func aReasonWithFilesOnLines() throws {
    let reasons =
      #"["<RBSTerminateContext| domain:15 code:0xDEAD10CC explanation:[app<org.example.reader>:77] was suspended with "#
      + #"locked system files:\n/var/mobile/Containers/Shared/AppGroup/1/feed.sqlite\nnot in allowed directories:\n>"]"#
    let reading = try Reading(
      ips("\"termination\": {\"namespace\": \"RUNNINGBOARD\", \"code\": 3735883980, \"reasons\": \(reasons)}")
    )
    #expect(reading.facts(.termination) == ["RUNNINGBOARD 0xdead10cc"])
    #expect(
      reading.facts(.explanation) == ["[app<org.example.reader>:77] was suspended with locked system files:"])
  }

  /// The form of iOS 12 and earlier.
  @Test func applicationSpecificInformation() throws {
    let reading = try Reading(
      crash(
        """
        Application Specific Information:
        org.example.reader failed to scene-create after 19.97s (launch took 0.41s of total time limit 19.97s)

        Elapsed total CPU time (seconds): 11.000 (user 11.000, system 0.000), 54% CPU
        Elapsed application CPU time (seconds): 4.890, 24% CPU
        """))
    #expect(
      reading.facts(.explanation).last
        == "org.example.reader failed to scene-create after 19.97s (launch took 0.41s of total time limit 19.97s)"
    )
    #expect(reading.facts(.totalCPUTime) == ["11.000 s, 54 % CPU"])
    #expect(reading.facts(.appCPUTime) == ["4.890 s, 24 % CPU"])
    #expect(reading.blamed == ["Reader + 4220160"])
  }

  /// Many threads of Dispatch wait at the same time.
  @Test func theLimitOfDispatch() throws {
    let limit =
      "Dispatch Thread Soft Limit Reached: 64 (too many dispatch threads blocked in synchronous operations)"
    let reports = try [
      crash("Application Specific Information:\n\(limit)\n"),
      ips("\"asi\": {\"libdispatch.dylib\": [\"\(limit)\"]}"),
      "Analysis of sampling App (pid 7) every 1 millisecond\n\(limit)\nCall graph:\n    5 Thread_1\n"
        + "      5 f  (in App) + 1  [0x1]\n",
      "Process: App [7]\n\(limit)\nThread 0x1    5 samples (1-5)\n  5  f + 1 (App + 2) [0x1]\n",
    ]
    for report in reports {
      let reading = try Reading(report)
      #expect(reading.facts(.dispatchLimit) == [limit], "\(reading.trace.kind)")
      #expect(reading.trace.facts.contains { $0.meaning?.contains("queued work waits") == true })
    }
  }

  /// iOS 14 and earlier wrote text after a JSON header.
  @Test func textAfterAHeader() throws {
    let text = try Reading.text("ForeignStacks/s7b-legacy-unsymbolicated.crash")
    let reading = try Reading("{\"app_name\":\"Cadence\",\"bug_type\":\"109\"}\n" + text)
    #expect(reading.trace.kind == .appleReport && reading.blamed == ["Cadence + 601096"])
  }

  /// The list of images comes last. Without it, the name of a function alone is not enough to blame it.
  @Test func cutBeforeItsImages() throws {
    let text = try Reading.text("Stacks/crash.ips").upTo("\"name\": \"prefetch\"")
    let reading = try Reading(text)
    #expect(reading.places == ["Albums.swift:558"])
    #expect(reading.trace.notes.last?.hasPrefix("the list of images is missing: ") == true)
    let unknown = try Reading(text.replacingOccurrences(of: "\"sourceLine\"", with: "\"unknown\""))
    #expect(unknown.blamed == [nil] && unknown.innermost == "__pread")
  }

  // MARK: Uncaught exceptions

  /// The crashed thread only shows that the exception was not caught.
  @Test func symbolicated() throws {
    let reading = try Reading(
      crash(
        """
        Last Exception Backtrace:
        0   CoreFoundation                  0x19481b028 __exceptionPreprocess + 164
        1   libobjc.A.dylib                 0x1948115b0 objc_exception_throw + 60
        2   Reader                          0x104467700 Feed.parse(_:) + 40 (Feed.swift:9)
        3   Reader                          0x104467548 closure #1 in FeedList.refresh() + 12 (FeedList.swift:61)
        """))
    #expect(reading.trace.threads(.usual).map(\.isLastException) == [true])
    #expect(reading.blamed == ["Feed.parse(_:)"] && reading.places == ["Feed.swift:9"])
    #expect(reading.innermost == "__exceptionPreprocess")
    #expect(reading.outermost == "closure #1 in FeedList.refresh()")
  }

  /// The list of images gives the image that contains an address.
  @Test(arguments: [
    "(0x1948115b0 0x104467700 0x104467548 0x1)", "(0x1948115b0 0x104467700\n 0x104467548\n 0x1)",
  ])
  func addresses(stack: String) throws {
    let reading = try Reading(crash("Last Exception Backtrace:\n" + stack))
    #expect(reading.trace.threads(.usual).map(\.isLastException) == [true])
    #expect(reading.blamed == ["Reader + 4224768"] && reading.image == "Reader")
    #expect(reading.innermost == "libsystem_kernel.dylib + 38320" && reading.outermost == "0x1")
    #expect(reading.groups[0]?.example.frames.count == 4)
  }

  @Test func addressesAlone() {
    let text = "*** First throw call stack:\n(0x1a3924784 0x1a37e5b60 0x100412c08)\nlibc++abi: terminating\n"
    #expect(
      StackTexts.mistake(text)
        == "line 2: the stack has only addresses, without their images; give the report with the list of images"
    )
  }

  @Test func inJSON() throws {
    let frames = #"[{"imageIndex": 0, "imageOffset": 16, "symbol": "Feed.parse(_:)", "symbolLocation": 4}]"#
    let text = try ips("\"lastExceptionBacktrace\": \(frames)", file: "ForeignStacks/simulator.ips")
    let reading = try Reading(text)
    #expect(reading.trace.threads(.usual).map(\.isLastException) == [true])
    #expect(reading.blamed == ["Feed.parse(_:)"] && reading.image == "Harbor")
  }

  // MARK: Simulators

  /// Returns the images of the frames that belong to the app.
  private func own(_ reading: Reading) throws -> [String?] {
    let main = reading.trace.mainImage
    var judge = StackJudge(images: AppImages(main: main), rules: try CauseRules.builtIn())
    return (reading.groups[0]?.example.frames ?? []).filter { judge.isOwn($0) }.map(\.image)
  }

  @Test func libraries() throws {
    let reading = try Reading(file: "ForeignStacks/simulator.ips")
    #expect(reading.blamed == ["Quay.moor()"] && reading.places == ["Quay.swift:12"])
    let frames = try #require(reading.groups[0]?.example.frames)
    #expect(try own(reading) == ["QuayKit", "Harbor.debug.dylib", "Harbor"])
    #expect(frames[1].image == "CoreData" && frames[3].image == "Harbor.debug.dylib")
    #expect(reading.facts(.allowance) == ["5.00 s"] && reading.facts(.watchdogEvent) == ["scene-create"])
  }

  @Test func librariesWithoutNames() throws {
    let text = try Reading.text("ForeignStacks/simulator.ips").replacingOccurrences(
      of: "\"symbol\": ", with: "\"hidden\": ")
    let reading = try Reading(text)
    #expect(reading.blamed == ["QuayKit + 808"] && reading.outermost == "dyld + 12")
  }

  @Test func librariesInAText() throws {
    let users = "/Users"
    let runtime =
      "/Library/Developer/CoreSimulator/Profiles/Runtimes/iOS 17.5.simruntime/Contents/Resources/RuntimeRoot"
    let app =
      "\(users)/USER/Library/Developer/CoreSimulator/Devices/1/data/Containers/Bundle/Application/2/Harbor.app"
    let reading = try Reading(
      """
      Process:               Harbor [77]
      Path:                  \(app)/Harbor
      Exception Type:        EXC_CRASH (SIGKILL)

      Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
      0   libsystem_kernel.dylib        	       0x10aaaa008 __psynch_mutexwait + 8
      1   CoreData                      	       0x10eeee008 -[NSManagedObjectContext save:] + 20
      2   Harbor                        	       0x100001008 Quay.moor() + 20 (Quay.swift:12)
      3   UIKitCore                     	       0x185b35bd4 UIApplicationMain + 124
      4   Harbor                        	       0x100002008 main + 20
      5   dyld_sim                      	       0x10cccc008 start_sim + 20
      6   dyld                          	       0x10dddd008 start + 1000

      Binary Images:
             0x100000000 -        0x10000ffff org.example.harbor (1.0) <A> \(app)/Harbor
             0x10eeee000 -        0x10eeeffff com.apple.CoreData (1.0) <B> \(runtime)/System/Library/Frameworks/CoreData.framework/CoreData
             0x185000000 -        0x186ffffff com.apple.UIKitCore (1.0) <C> \(runtime)/System/Library/PrivateFrameworks/UIKitCore.framework/UIKitCore
             0x10cccc000 -        0x10ccccfff dyld_sim (*) <D> \(runtime)/usr/lib/dyld_sim
             0x10aaaa000 -        0x10aaaafff libsystem_kernel.dylib (*) <E> /usr/lib/system/libsystem_kernel.dylib
      """)
    #expect(reading.trace.mainImage == "Harbor" && reading.blamed == ["Quay.moor()"])
    #expect(try own(reading) == ["Harbor", "Harbor"])
  }
}
