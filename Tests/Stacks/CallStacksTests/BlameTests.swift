import CallStacks
import RunLoopVocabulary
import Testing

/// The function to blame, and the confidence in it.
@Suite struct BlameTests {
  /// Returns a stack of frames in the form `image function`, innermost first.
  static func stack(_ frames: String..., samples: UInt64 = 1) -> CallStack {
    CallStack(
      frames: frames.map { text in
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        return StackFrame(image: parts[0] == "-" ? nil : parts[0], symbol: parts[1] == "???" ? nil : parts[1])
      }, samples: samples)
  }

  private func judge(_ images: AppImages = AppImages()) throws -> StackJudge {
    StackJudge(images: images, rules: try CauseRules.builtIn())
  }

  private func verdict(_ stacks: [CallStack], _ images: AppImages = AppImages()) throws -> StackVerdict {
    var judge = try judge(images)
    return judge.verdict(of: stacks)
  }

  /// The folder of an image takes precedence over its name in deciding whether its functions belong to the app.
  @Test func sameNamesInOtherFolders() throws {
    var judge = try judge()
    let own = ["/usr/lib/libwidget.so", "/opt/app/libwidget.so"].map { path in
      var frame = StackFrame(image: "libwidget.so", symbol: "draw")
      frame.imagePath = path
      return judge.isOwn(frame)
    }
    #expect(own == [false, true])
  }

  /// Only the heaviest functions are listed, but the causes include all.
  @Test func moreFunctionsThanAreListed() throws {
    let verdict = try verdict(
      (1...5000).map { Self.stack("libc.so.6 read", "App f\($0)", samples: UInt64($0 == 4000 ? 9000 : $0)) })
    #expect(verdict.groups.count == StackLimits.groupsListed && verdict.main?.frame?.name == "f4000")
    #expect(verdict.omittedGroups == 5000 - StackLimits.groupsListed)
    #expect(verdict.causes.map(\.cause) == [.disk])
    #expect(verdict.causes.map(\.weight) == [verdict.weight])
  }

  @Test func theInnermostOfTheAppsOwn() throws {
    let verdict = try verdict([
      Self.stack(
        "libc.so.6 read", "libFoundation.so $s10Foundation4DataV", "App load", "App start", "libc.so.6 _start"
      )
    ])
    #expect(verdict.main?.frame?.name == "load")
    #expect(verdict.main?.index == 2)
    #expect(verdict.main?.cause == .disk)
  }

  /// Functions of system headers are compiled into the app's image, but do not belong to the app.
  @Test func functionsOfHeadersAreNotTheApps() throws {
    for header in ["/usr/include/c++/12/bits/std_mutex.h", "/opt/toolchain/include/c++/v1/__mutex/mutex.h"] {
      var stack = Self.stack("libc.so.6 pthread_mutex_lock", "App std::mutex::lock", "App save_model")
      (stack.frames[1].file, stack.frames[1].line) = (header, 100)
      for images in [AppImages(), AppImages(named: ["App"]), AppImages(main: "App")] {
        #expect(try verdict([stack], images).main?.frame?.name == "save_model", "\(header)")
      }
    }
  }

  /// Rust's standard library is compiled into the app's image, with or without source lines.
  @Test(arguments: [nil, "/rustc/5980761/library/", "/opt/rust/lib/rustlib/src/rust/library/"])
  func rustsLibraryIsNotTheApps(folder: String?) throws {
    var stack = Self.stack(
      "libc.so.6 syscall", "App std::sys::pal::unix::futex::futex_wait",
      "App std::sys::sync::mutex::futex::Mutex::lock_contended", "App store::Store::flush",
      "App core::ops::function::FnOnce::call_once", "App std::rt::lang_start::{{closure}}", "App main")
    if let folder {
      for (index, file) in [(1, "futex.rs"), (2, "mutex.rs"), (4, "function.rs"), (5, "rt.rs")] {
        (stack.frames[index].file, stack.frames[index].line) = (folder + "std/src/" + file, 73)
      }
      (stack.frames[3].file, stack.frames[3].line) = ("src/store.rs", 7)
    }
    for images in [AppImages(), AppImages(named: ["App"]), AppImages(main: "App")] {
      let main = try verdict([stack], images).main
      #expect(main?.frame?.name == "store::Store::flush" && main?.cause == .lock)
    }
    // Other functions are recognized by their sources.
    var computing = Self.stack("App core::num::wrapping_add", "App store::Store::hash")
    (computing.frames[0].file, computing.frames[0].line) = (folder.map { $0 + "core/src/num/mod.rs" }, 1)
    #expect(
      try verdict([computing], AppImages(main: "App")).main?.frame?.name
        == (folder == nil ? "core::num::wrapping_add" : "store::Store::hash"))
  }

  /// A nested loop of Node.js is part of the call that runs it.
  @Test func libraryInsideNode() throws {
    var stack = Self.stack(
      "libc.so.6 epoll_pwait", "node uv__io_poll", "node uv_run",
      "node node::SyncProcessRunner::TryInitializeAndRunLoop(v8::Local<v8::Value>)",
      "node Builtins_InterpreterEntryTrampoline", "node uv_run", "node main")
    for index in [1, 2, 5] {
      (stack.frames[index].file, stack.frames[index].line) = ("/build/out/../deps/uv/src/unix/core.c", 447)
    }
    var judge = try judge(AppImages(main: "node"))
    judge.learnSources(stack.frames)
    let main = judge.verdict(of: [stack]).main
    #expect(main?.frame?.name.hasPrefix("node::SyncProcessRunner::TryInitialize") == true)
    #expect(main?.cause == .ipc)
  }

  /// A function of V8 does the work of the code that called it, which V8 made at run time.
  @Test func engineInsideNode() throws {
    var stack = Self.stack(
      "node v8::base::Time::ToJsTime() const",
      "node v8::internal::Runtime_DateCurrentTime(int, unsigned long*, v8::internal::Isolate*)", "- ???",
      "node Builtins_JSEntryTrampoline", "node node::Environment::RunTimers(uv_timer_s*)",
      "node uv__run_timers", "node uv_run", "node main")
    stack.frames[2].isRunTimeCode = true
    let main = try verdict([stack], AppImages(main: "node")).main
    #expect(main?.frame == nil && main?.reasons.contains(.runTimeCode) == true)
  }

  /// The compiler copies generic functions of libraries into the app's image, without source lines.
  @Test func copiesOfLibraryCodeAreNotTheApps() throws {
    var stack = Self.stack("libswiftCore.so hash", "App Dictionary.find(_:)", "App compact()", "App main")
    #expect(try verdict([stack], AppImages(main: "App")).main?.frame?.name == "Dictionary.find(_:)")
    for own in [2, 3] { (stack.frames[own].file, stack.frames[own].line) = ("/src/main.swift", 24) }
    var judge = try judge(AppImages(named: ["App", "Other"]))
    judge.learnSources(stack.frames)
    #expect(judge.verdict(of: [stack]).main?.frame?.name == "compact()")
    // An image of the app without any source line keeps its functions.
    let other = Self.stack("libc.so.6 read", "Other load()", "App compact()")
    #expect(judge.verdict(of: [other]).main?.frame?.name == "load()")
  }

  /// Two functions with about half of the time each have a caller in common, which is named as well.
  @Test(arguments: [
    (sort: UInt64(55), index: UInt64(40), rest: UInt64(5)), (30, 30, 40), (90, 10, 0), (40, 40, 20),
  ])
  func theCallerOfSeveralFunctions(sort: UInt64, index: UInt64, rest: UInt64) throws {
    let verdict = try verdict([
      Self.stack("App compare", "libswiftCore.so sort", "App insert", "App main", samples: sort),
      Self.stack("App reindex", "App insert", "App main", samples: index),
      Self.stack("App draw", "App main", samples: max(rest, 1)),
    ])
    let total = sort + index + max(rest, 1)
    let share = Double(sort + index) / Double(total)
    if Double(sort) / Double(total) >= StackVerdict.nearlyAll {
      #expect(verdict.caller == nil)
    } else {
      #expect(verdict.caller?.frame.name == (share >= StackVerdict.nearlyAll ? "insert" : "main"))
      #expect(verdict.caller?.weight == (share >= StackVerdict.nearlyAll ? sort + index : total))
    }
  }

  /// A function outside the loop did not hold the thread, however many stacks it is on.
  @Test func callersOutsideTheLoopAreNotNamed() throws {
    let verdict = try verdict([
      Self.stack("App parse", "libFoundation.so CFRunLoopRunSpecific", "App main"),
      Self.stack("App store", "libFoundation.so CFRunLoopRunSpecific", "App main"),
    ])
    #expect(verdict.caller == nil)
  }

  /// A sample inside a jump to another image, such as `fmod@plt`.
  @Test func jumpsToOtherImagesAreNotBlamed() throws {
    let jump = try verdict([Self.stack("App ???", "App layoutSubviews()", "App main")])
    #expect(jump.main?.frame?.name == "layoutSubviews()")
    #expect(jump.main?.cause == .drawing)
    // Without symbols this cannot be decided, and the outermost frame may be anything.
    for var unknown in [Self.stack("App ???", "App ???"), Self.stack("App ???", "libc.so.6 start")] {
      for place in unknown.frames.indices { unknown.frames[place].imageOffset = 16 }
      #expect(try verdict([unknown]).main?.index == 0)
    }
  }

  /// Frames of the recorder's library and thunks of the compiler are not the program's own.
  @Test func theProgramsOwnFrames() throws {
    var judge = try judge()
    let frames = Self.stack(
      "libc.so.6 read", "librltrace-preload.so timer_callout", "App reabstraction thunk", "App load()"
    )
    .frames
    let own = frames.map { judge.isOwn($0) }
    #expect(own == [false, false, false, true])
    var inlined = frames[3]
    inlined.isInlined = true
    let isOwn = judge.isOwn(inlined)
    #expect(!isOwn)
    inlined.line = 7
    let isOwnWithLine = judge.isOwn(inlined)
    #expect(isOwnWithLine)
  }

  /// The confidence in an unknown cause is never high, however clear the function is.
  @Test func anUnknownCauseIsNotTrusted() throws {
    let stack = Self.stack("libm.so.6 exp", "App f", "App main")
    let main = try #require(try verdict(Array(repeating: stack, count: 9)).main)
    #expect(main.cause == .unknown && main.frame?.name == "f")
    #expect(main.confidence == .low && main.reasons.first == .causeUnknown)
    #expect(main.functionConfidence >= .medium)
  }

  @Test func theFunctionThatACalloutCalled() {
    let stack = Self.stack(
      "libc.so.6 futex_wait", "libdispatch.so _dispatch_semaphore_wait_slow",
      "libswiftDispatch.so DispatchSemaphore.wait(timeout:)", "librltrace-preload.so timer_callout",
      "libFoundation.so __CFRunLoopRun", "App main")
    #expect(CallStack.entry(of: stack.frames)?.name == "DispatchSemaphore.wait(timeout:)")
    #expect(CallStack.entry(of: Array(stack.frames.dropFirst(3))) == nil)
  }

  @Test func whoRanTheLoop() {
    var frames = Self.stack(
      "App tick", "libFoundation.so __CFRunLoopRun", "App spin()", "libFoundation.so CFRunLoopRunSpecific",
      "libFoundation.so RunLoop.run(mode:before:)", "App serve()", "App main"
    ).frames
    for index in frames.indices where frames[index].image == "App" { frames[index].isOwn = true }
    #expect(CallStack.runCaller(of: frames)?.name == "serve()")
    #expect(CallStack.runCaller(of: [frames[0]]) == nil)
  }

  /// The callers of the loop did not hold it, and a thunk is not blamed.
  @Test func callersOfTheLoopAreNotBlamed() throws {
    let outside = try verdict([
      Self.stack(
        "AppKit -[NSView layout]", "CoreFoundation __CFRunLoopRun", "CoreFoundation CFRunLoopRunSpecific",
        "App main")
    ])
    #expect(outside.main?.frame == nil)
    #expect(outside.main?.confidence == Confidence.none)
    #expect(outside.main?.reasons == [.onlyOutsideTheLoop])
    let thunk = try verdict([Self.stack("libc.so.6 read", "App thunk for @escaping () -> ()", "App load()")])
    #expect(thunk.main?.frame?.name == "load()")
  }

  /// A function without a name did the work, so the functions that called it are not blamed.
  @Test func codeMadeAtRunTimeHasNoFunction() throws {
    var stack = Self.stack("libc.so.6 read", "- ???", "App Invoke", "App main", samples: 9)
    #expect(try verdict([stack]).main?.frame?.name == "Invoke")
    stack.frames[1].isRunTimeCode = true
    #expect(stack.frames[1].name == StackFrame.runTimeCode)
    let interpreted = Self.stack("App Builtins_LdaSmiHandler", "App Builtins_JSEntry", "App Invoke")
    for nameless in [stack, interpreted] {
      let main = try #require(try verdict([nameless]).main)
      #expect(main.frame == nil && main.reasons == [.runTimeCode] && main.confidence == Confidence.none)
    }
    #expect(try verdict([stack]).main?.cause == .disk)
    // A function that such code called is blamed as usual.
    let called = Self.stack("libc.so.6 read", "App readFile", "App Builtins_JSEntry", "App Invoke")
    #expect(try verdict([called]).main?.frame?.name == "readFile")
    // A program may have functions with these names.
    var named = Self.stack("App Builtins_load", "App main")
    named.frames[0].file = "/src/builtins.c"
    #expect(try verdict([named]).main?.frame?.name == "Builtins_load")
  }

  /// A request that runs its own loop until the answer comes.
  @Test func aLoopInsideTheCauseIsPartOfIt() throws {
    let verdict = try verdict([
      Self.stack(
        "libsystem_kernel.dylib mach_msg_trap", "CoreFoundation __CFRunLoopServiceMachPort",
        "CoreFoundation __CFRunLoopRun", "CoreFoundation CFRunLoopRunSpecific",
        "CFNetwork CFURLConnectionSendSynchronousRequest",
        "Foundation +[NSURLConnection sendSynchronousRequest:returningResponse:error:]", "App -[Feed load]",
        "CoreFoundation __CFRunLoopRun", "App main")
    ])
    #expect(verdict.main?.frame?.name == "-[Feed load]")
    #expect(verdict.main?.cause == .network)
    #expect(verdict.main?.match?.rule?.id == "synchronous-request")
  }

  /// A library's function that runs its own loop until a process ends. No other loop is on the stack.
  @Test func aLoopInsideTheCallerOfTheCauseIsPartOfIt() throws {
    let child = try verdict([
      Self.stack(
        "libc.so.6 ppoll", "libFoundation.so __CFRunLoopRun", "libFoundation.so CFRunLoopRunSpecific",
        "libFoundation.so Process.waitUntilExit()", "App runHook()", "libdispatch.so _dispatch_worker_thread")
    ]).main
    #expect(child?.frame?.name == "runHook()" && child?.match?.rule?.id == "child-process-in-loop")
    // A function of the app that matches as the caller may have run the loop.
    let client = try verdict([
      Self.stack("libc.so.6 sem_wait", "libFoundation.so __CFRunLoopRun", "App HTTPClient.run()")
    ]).main
    #expect(client?.frame == nil && client?.match?.rule?.id == "request-and-wait")
  }

  @Test func waitingForEventsIsNotAStall() throws {
    let idle = Self.stack(
      "libc.so.6 ppoll", "libFoundation.so __CFRunLoopRun", "libFoundation.so CFRunLoopRunSpecific",
      "App main",
      samples: 90)
    let verdict = try verdict([idle, Self.stack("App work", "libFoundation.so __CFRunLoopRun", samples: 10)])
    #expect(verdict.waitingSamples == 90 && verdict.samples == 100)
    #expect(verdict.main?.frame?.name == "work" && verdict.main?.share == 1)
    let only = try self.verdict([idle])
    #expect(only.main == nil && only.waiting?.rule?.id == "waits-for-events")
  }

  @Test func oneSampleGivesLowConfidence() throws {
    func verdict(_ stacks: [CallStack]) throws -> StackVerdict {
      try self.verdict(stacks, AppImages(main: "App"))
    }
    let one = Self.stack("App work")
    #expect(try verdict([one]).main?.confidence == .low)
    #expect(try verdict([one]).main?.reasons == [.oneSample])
    #expect(try verdict([one, one]).main?.confidence == .medium)
    #expect(try verdict([one, one]).main?.reasons == [.fewSamples(2), .share(1)])
    #expect(try verdict(Array(repeating: one, count: 5)).main?.confidence == .high)
    let other = Self.stack("App other", samples: 4)
    let split = try verdict([Self.stack("App work", samples: 6), other])
    #expect(split.groups.map { $0.frame?.name } == ["work", "other"])
    #expect(split.groups.map(\.confidence) == [.medium, .low])
    #expect(split.main?.reasons.first == .share(0.6))
  }

  @Test func unknownImagesLowerTheConfidence() throws {
    let noImage = try verdict([Self.stack("- poll", "- load", samples: 9)])
    #expect(noImage.main?.frame?.name == "load")
    #expect(noImage.main?.confidence == .medium && noImage.main?.reasons.first == .imagesUnknown)
    var stack = Self.stack("libc.so.6 fsync", "App ???", samples: 9)
    stack.frames[1].imageOffset = 16
    let noName = try verdict([stack])
    #expect(noName.main?.confidence == .medium && noName.main?.reasons.first == .noName)
    let nobody = try verdict([Self.stack("libc.so.6 read", "libglib-2.0.so.0 g_main", samples: 9)])
    #expect(nobody.main?.frame == nil && nobody.main?.reasons == [.noOwnFrame])
    #expect(try verdict([CallStack(frames: [])]).main?.reasons == [.noFrames])
    #expect(try verdict([]).main == nil)
  }

  /// A frame without any known fact is not blamed. Its caller is, with a doubt.
  @Test(arguments: ["App ???", "- ???"]) func framesWithoutAnyName(inner: String) throws {
    let app = AppImages(main: "App")
    let main = try verdict([Self.stack("libc.so.6 fsync", inner, "App load", samples: 9)], app).main
    #expect(main?.frame?.name == "load" && main?.confidence == .medium)
    #expect(main?.reasons.first == .namePassedOver)
    let alone = try verdict([Self.stack("libc.so.6 fsync", inner, samples: 9)], app).main
    #expect(alone?.frame == nil && alone?.confidence == Confidence.none)
  }

  /// Frames that are missing may have said more about the function.
  @Test func missingFramesLowerTheConfidence() throws {
    var stack = Self.stack("libc.so.6 fsync", "App load", "App start", samples: 9)
    #expect(try verdict([stack], AppImages(main: "App")).main?.confidence == .high)
    stack.frames[2].isAtGap = true
    let main = try verdict([stack], AppImages(main: "App")).main
    #expect(main?.frame?.name == "load" && main?.confidence == .medium)
    #expect(main?.reasons.first == .framesMissing)
  }

  /// A stack does not show what kind of descriptor `read` waits for.
  @Test func aLikelyCauseLowersTheConfidence() throws {
    func main(_ function: String) throws -> BlameGroup? {
      try verdict([Self.stack("libc.so.6 \(function)", "App load", samples: 9)], AppImages(main: "App")).main
    }
    let read = try #require(try main("read"))
    #expect(read.cause == .disk && read.confidence == .medium && read.functionConfidence == .high)
    #expect(read.reasons.first == .causeLikely)
    #expect(try main("fsync")?.confidence == .high)
  }

  @Test func appImagesCorrectTheGuess() throws {
    let stack = Self.stack("libc.so.6 read", "Vendored decode", "Model load", "App start")
    #expect(try verdict([stack]).main?.frame?.name == "decode")
    #expect(try verdict([stack], AppImages(named: ["App", "Mo*"])).main?.frame?.name == "load")
    // An app may have the name of a system library.
    let named = Self.stack("libc.so.6 read", "Network load", "libc.so.6 _start")
    #expect(try verdict([named]).main?.frame == nil)
    #expect(try verdict([named], AppImages(main: "Network")).main?.frame?.name == "load")
    var inFolder = named
    inFolder.frames[1].image = "Helper"
    inFolder.frames[1].imagePath = "/System/Library/Helper"
    #expect(try verdict([inFolder]).main?.frame == nil)
  }

  /// A function with several causes gets the heaviest one, and the example stack has that cause.
  @Test func severalCauses() throws {
    let verdict = try verdict([
      Self.stack("App load", samples: 2), Self.stack("libc.so.6 pread", "App load", samples: 3),
      Self.stack("libc.so.6 pread64", "App load", samples: 4),
    ])
    let main = try #require(verdict.main)
    #expect(verdict.groups.count == 1 && main.cause == .disk && main.causes.map(\.samples) == [7, 2])
    #expect(main.example.frames[0].name == "pread64" && main.index == 1)
    #expect(main.match?.frame?.name == "pread64")
  }

  @Test func pointStack() {
    let a = Self.stack("App a", "App main")
    let b = Self.stack("App b", "App main")
    let c = Self.stack("App b", "App other")
    #expect(PointStack(of: []) == nil)
    let point = PointStack(of: [a, b, c, c, a])
    #expect(point?.run == 1..<4 && point?.samples == 3 && point?.of == 5 && point?.stack == c)
    #expect(PointStack(of: [a, b, c, c, a], depth: 2)?.run == 2..<4)
    // The first of two runs with the same length counts. A stack with two samples counts twice.
    #expect(PointStack(of: [a, b])?.run == 0..<1)
    #expect(PointStack(of: [a, Self.stack("App b", samples: 2)])?.run == 1..<2)
  }

  @Test func weightsNeverOverflow() throws {
    let heavy = Self.stack("App work", samples: .max)
    #expect(try verdict([heavy, heavy]).main?.weight == .max)
    #expect(PointStack(of: [heavy, heavy])?.samples == .max)
  }
}
