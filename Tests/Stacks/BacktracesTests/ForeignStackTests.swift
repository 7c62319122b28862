import Backtraces
import CallStacks
import Foundation
import RunLoopVocabulary
import TestSupport
import Testing

/// Texts in the forms of public reports. Each was once read incorrectly.
@Suite struct ForeignStackTests {
  private static let folder = "Tests/Fixtures/ForeignStacks"
  static let names = [
    "h-evil-names.ips", "s1-metrickit-watchdog-crash.json", "s13-callstacksymbols-linux.txt",
    "s2-metrickit-hang-pdfkit.json", "s3b-sample-multiple-not-first.txt", "s4-ios-hang-228.ips",
    "s35-gdb-signal-handler.txt", "s42c-lldb-once.txt", "s5-spindump-variants.txt",
    "s6-ips-309-watchdog-deadlock.ips", "s7b-legacy-unsymbolicated.crash",
  ]

  private func bytes(_ name: String) throws -> [UInt8] { try ProjectFiles.bytes("\(Self.folder)/\(name)") }

  private func read(_ name: String) throws -> (trace: Backtrace, main: BlameGroup?) {
    let bytes = try bytes(name)
    return (try BacktraceReader.read(bytes), try StackTexts.verdicts(bytes).first?.main)
  }

  private func value(_ subject: ReportFact.Subject, _ trace: Backtrace) -> String? {
    trace.facts.first { $0.subject == subject }?.value
  }

  // MARK: The texts

  @Test func aMetricKitCrashBeginsWithTheInnermostFrame() throws {
    let (trace, main) = try read("s1-metrickit-watchdog-crash.json")
    #expect(trace.kind == .metricKit && trace.mainImage == "Pantry")
    #expect(main?.frame?.name == "Pantry + 412344")
    #expect(main?.example.frames.first?.image == "libsystem_kernel.dylib")
    #expect(trace.notes == ["crashDiagnostics 1: the first frame is the innermost (dyld is at the end)"])
    let termination = try #require(trace.facts.first { $0.subject == .termination })
    #expect(termination.value == "FRONTBOARD 0x8badf00d" && termination.meaning?.contains("watchdog") == true)
    #expect(value(.watchdogEvent, trace) == "scene-update" && value(.allowance, trace) == "10.00 s")
    #expect(value(.exception, trace) == "EXC_CRASH (SIGKILL)")
  }

  @Test func aMetricKitHangBeginsWithTheOutermostFrame() throws {
    let (trace, main) = try read("s2-metrickit-hang-pdfkit.json")
    #expect(main?.frame?.name == "Pantry + 398112" && main?.samples == 22)
    #expect(
      trace.notes == [
        "hangDiagnostics 1, 4.6 sec: the first frame is the outermost (dyld is at the beginning)"
      ])
    #expect(value(.duration, trace) == "4.6 sec")
  }

  @Test func theMainThreadOfSampleIsNotTheFirst() throws {
    let (trace, main) = try read("s3b-sample-multiple-not-first.txt")
    let judged = try #require(trace.threads(.usual).first)
    #expect(judged.isMain && judged.number != 900_122)
    #expect(main?.frame?.image == "Ledger")
  }

  /// Another thread does not hold the lock: the handler interrupted the code that does.
  @Test func aLockInASignalHandler() throws {
    let (_, main) = try read("s35-gdb-signal-handler.txt")
    #expect(
      main?.frame?.name == "Tuner.stop" && main?.cause == .lock && main?.match?.rule?.id == "signal-handler")
    #expect(main?.match?.caller?.name == "<signal handler called>")
    let text = String(decoding: try bytes("s35-gdb-signal-handler.txt"), as: UTF8.self)
    let called = text.replacing(
      "<signal handler called>", with: "0x000055b0c6f2a078 in onTimer () at a.swift:9")
    #expect(try StackTexts.verdicts(Array(called.utf8)).first?.main?.match?.rule?.id == "lock")
  }

  /// A function of a system header is not the app's, although it was compiled into the app's image.
  @Test func anInlinedFunctionOfAHeader() throws {
    let (_, main) = try read("s42c-lldb-once.txt")
    #expect(main?.frame?.name == "-[ContextProvider memoryContext]" && main?.cause == .lock)
    let text = String(decoding: try bytes("s42c-lldb-once.txt"), as: UTF8.self)
    let own = text.replacing("_dispatch_once(block", with: "loadOnce(block")
    #expect(try StackTexts.verdicts(Array(own.utf8)).first?.main?.frame?.name == "loadOnce")
  }

  @Test func imagesByUUID() throws {
    let (trace, main) = try read("s4-ios-hang-228.ips")
    #expect(trace.kind == .spindump && trace.mainImage == "Parcels")
    #expect(main?.frame?.name == "Parcels + 3440012")
    #expect(main?.example.frames.first?.name == "<84FA5857-0000-3000-8000-00000000000C> + 4970440")
    #expect(value(.event, trace) == "Timed Out Runloop Hang" && value(.duration, trace) == "9.90s")
    #expect(trace.threads[0].lock?.owner == .thread(0xf1aeb))
  }

  @Test func aThreadThatIsPartOfADeadlock() throws {
    let trace = try BacktraceReader.read(bytes("s5-spindump-variants.txt"))
    #expect(trace.threads.map { $0.lock?.owner } == [nil, .itself, .thread(0xa0f2)])
    #expect(trace.threads.map { $0.lock?.hops } == [nil, nil, 2])
  }

  @Test func aWatchdogTermination() throws {
    let (trace, main) = try read("s6-ips-309-watchdog-deadlock.ips")
    #expect(main?.frame?.name == "ReplayKitLite + 414916" && main?.cause == .lock)
    #expect(value(.termination, trace) == "FRONTBOARD 0x8badf00d")
    #expect(value(.explanation, trace) == "[app<org.example.trailhead>:1812] is stuck (deadlock)")
    #expect(value(.totalCPUTime, trace) == "5.710 s, 18 % CPU")
    let own = try #require(trace.facts.first { $0.subject == .appCPUTime })
    #expect(own.value == "0.031 s, 0 % CPU" && own.meaning?.contains("waited") == true)
  }

  @Test func columnsOfTabs() throws {
    let (trace, main) = try read("s7b-legacy-unsymbolicated.crash")
    #expect(main?.frame?.image == "Cadence" && main?.frame?.imageOffset == 601_096)
    #expect(main?.frame?.address == 0x1_0041_2c08)
    #expect(value(.allowance, trace) == "19.89 s" && value(.watchdogEvent, trace) == "process-launch")
    #expect(value(.termination, trace) == "SPRINGBOARD 0x8badf00d")
  }

  @Test func callStackSymbolsOfLinux() throws {
    let (trace, main) = try read("s13-callstacksymbols-linux.txt")
    #expect(trace.kind == .backtraceSymbols && trace.threads.count == 1)
    #expect(main?.frame?.image == "css" && main?.frame?.imageOffset == 0x150e)
    #expect(main?.example.frames.count == 14)
  }

  // MARK: Further shapes

  @Test(arguments: names) func linesWithOtherEndings(name: String) throws {
    let text = String(decoding: try bytes(name), as: UTF8.self)
    let crlf = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    let (plain, other) = (try BacktraceReader.read(bytes(name)), try BacktraceReader.read(Array(crlf.utf8)))
    #expect(plain.kind == other.kind && plain.threads.count == other.threads.count)
    #expect(plain.facts == other.facts)
    #expect(
      try StackTexts.verdicts(bytes(name)).map { $0.main?.frame?.name }
        == StackTexts.verdicts(Array(crlf.utf8)).map { $0.main?.frame?.name })
  }

  /// The complete part of a text is read, or the text is refused in one line.
  @Test(arguments: names) func aTextThatIsCutOff(name: String) throws {
    let bytes = try bytes(name)
    for part in stride(from: 0.05, to: 1, by: 0.05) {
      let cut = Array(bytes.prefix(Int(Double(bytes.count) * part)))
      do throws(BacktraceError) {
        let trace = try BacktraceReader.read(cut)
        for thread in trace.threads { #expect(try thread.stacks().isEmpty == false) }
        if trace.kind == .metricKit || trace.kind == .ips {
          #expect(trace.notes.contains { $0.hasPrefix("the text is cut off: ") }, "\(part)")
        }
      } catch {
        #expect(!error.what.isEmpty && !error.what.contains("\n"))
      }
    }
  }

  @Test func aPayloadInsideOtherJSON() throws {
    let payload = String(decoding: try bytes("s2-metrickit-hang-pdfkit.json"), as: UTF8.self)
    let quoted = String(decoding: try JSONEncoder().encode(payload), as: UTF8.self)
    for text in [
      "{\"device\": \"x\", \"payload\": \(payload)}", "[{\"items\": [\(payload)]}]",
      "{\"body\": \(quoted)}",
    ] {
      let verdict = try StackTexts.verdicts(Array(text.utf8)).first
      #expect(verdict?.main?.frame?.name == "Pantry + 398112")
    }
  }

  @Test func severalReportsInOneText() throws {
    let text = String(decoding: try bytes("s7b-legacy-unsymbolicated.crash"), as: UTF8.self)
    let trace = try BacktraceReader.read(Array((text + "\n" + text).utf8))
    #expect(Set(trace.threads.map(\.section)) == ["report 1", "report 2"])
    #expect(trace.threads(.usual).map(\.number) == [0, 0])
  }

  @Test(arguments: [
    ("0   Cadence   0x00000001044f7020 4367286272 + 28704", 28704 as UInt64),
    ("0   Cadence\t0x00000001044f7020 0x1044f0000 + 28704", 28704),
    ("0   0x00000001044f7020 0x1044f0000 + 28704", 28704),
  ])
  func columns(line: String, offset: UInt64) throws {
    let trace = try BacktraceReader.read(Array("Thread 0 Crashed:\n\(line)\n".utf8))
    let frame = try #require(try trace.threads[0].stacks()[0].frames.first)
    #expect(frame.imageOffset == offset && frame.symbol == nil && frame.address == 0x1_044f_7020)
    #expect(frame.image == (line.contains("Cadence") ? "Cadence" : nil))
  }

  // MARK: Owners of images

  /// Frameworks of Apple's systems, without paths.
  static let system = """
    PDFKit BaseBoard libFontParser.dylib MediaPlayer HealthKit FrontBoard FrontBoardServices SpringBoardServices
    GameKit GameController SceneKit SpriteKit RealityKit ARKit Vision VisionKit NaturalLanguage Speech
    SoundAnalysis PencilKit PaperKit PassKit PassKitCore MessageUI Messages MultipeerConnectivity NearbyInteraction
    LinkPresentation QuickLook QuickLookThumbnailing SafariServices AuthenticationServices LocalAuthentication
    CryptoKit DeviceCheck AppIntents Intents WidgetKit ActivityKit ClockKit WatchConnectivity CarPlay CallKit
    PushKit BackgroundTasks MetricKit OSLog LoggingSupport CoreAutoLayout CoreMaterial IconServices MobileIcons
    ManagedConfiguration MobileKeyBag MobileInstallation CoreDuet CoreRoutine CoreSuggestions DataDetectorsCore
    DataDetectorsUI TextRecognition VisualLookUp ImageIO CoreImage CMCaptureCore PhotosUI PhotoLibraryServices
    AssetsLibraryServices CloudDocs CloudKit CloudPhotoLibrary IDS IMCore ChatKit MapKit VectorKit GeoServices
    Navigation CoreNFC CoreBluetooth CoreUtils ApplePushService AppleMediaServices StoreKit iTunesCloud
    MediaRemote AVKit AVFAudio MediaToolbox AudioToolbox CoreHaptics UIKitCore UIFoundation RunningBoardServices
    libsystem_c.dylib libobjc.A.dylib libsqlite3.dylib libxml2.2.dylib WebKit JavaScriptCore
    """.split { $0 == " " || $0 == "\n" }.map(String.init)

  /// Returns the verdict on a hang with dyld, the app, UIKit, the app again and `image`, from the outermost frame
  /// inwards.
  private func hang(inner image: String, main: String = "Shop", isMainKnown: Bool = true) throws
    -> BlameGroup?
  {
    func frame(_ image: String, _ inner: String) -> String {
      "{\"binaryName\": \"\(image)\", \"offsetIntoBinaryTextSegment\": 16, \"address\": 4096, \"sampleCount\": 9, "
        + "\"subFrames\": [\(inner)]}"
    }
    var tree = frame(main, frame("UIKitCore", frame(main, frame(image, ""))))
    if isMainKnown { tree = frame("dyld", tree) }
    let text =
      "{\"callStackTree\": {\"callStacks\": [{\"threadAttributed\": true, \"callStackRootFrames\": [\(tree)]}]}}"
    return try StackTexts.verdicts(Array(text.utf8)).first?.main
  }

  @Test func systemImagesWithoutPaths() throws {
    #expect(Self.system.count >= 85)
    for image in Self.system {
      let main = try hang(inner: image)
      #expect(main?.frame?.image == "Shop", "\(image): \(main?.frame?.name ?? "nobody")")
    }
  }

  /// The owner of the image is unknown: the app's main image is blamed, and the reasons mention the other one.
  @Test func anImageOfUnknownOwner() throws {
    let main = try #require(try hang(inner: "Quux"))
    #expect(main.frame?.image == "Shop" && main.reasons.contains(.imagePassedOver("Quux")))
    // Without a main image, everything is a guess.
    let guess = try #require(try hang(inner: "Quux", isMainKnown: false))
    #expect(guess.frame?.image == "Quux" && guess.reasons.contains(.imagesGuessed))
  }

  /// The report's own list takes precedence over names.
  @Test func anAppsFrameworkWithANameOfTheSystem() throws {
    let text = String(decoding: try bytes("s6-ips-309-watchdog-deadlock.ips"), as: UTF8.self)
      .replacing("ReplayKitLite", with: "ContactsUI")
    #expect(try StackTexts.verdicts(Array(text.utf8)).first?.main?.frame?.image == "ContactsUI")
  }

  // MARK: Other kinds

  @Test func kscrash() throws {
    let text = """
      {"report": {"version": "3.2.0", "type": "standard"}, "system": {"process_name": "Shop",
      "CFBundleExecutablePath": "/private/var/containers/Bundle/Application/1/Shop.app/Shop"},
      "binary_images": [{"name": "/private/var/containers/Bundle/Application/1/Shop.app/Shop", "uuid": "A-B"}],
      "crash": {"error": {"type": "signal", "signal": {"name": "SIGABRT"}, "reason": "stopped"}, "threads": [
      {"index": 0, "crashed": true, "backtrace": {"skipped": 2, "contents": [
      {"object_name": "libsystem_kernel.dylib", "symbol_name": "__psynch_mutexwait", "instruction_addr": 8, "symbol_addr": 0},
      {"object_name": "Shop", "symbol_name": "-[Cart save]", "instruction_addr": 4196, "symbol_addr": 4096, "object_addr": 4000}
      ]}}]}}
      """
    let (trace, main) = (
      try BacktraceReader.read(Array(text.utf8)), try StackTexts.verdicts(Array(text.utf8))[0].main
    )
    #expect(trace.kind == .ksCrash && trace.program == "Shop" && main?.frame?.name == "-[Cart save]")
    #expect(main?.frame?.offset == 100 && main?.frame?.imageOffset == 196 && main?.cause == .lock)
    #expect(value(.exception, trace) == "signal (SIGABRT)" && value(.reason, trace) == "stopped")
    #expect(trace.notes == ["thread 0: the reporter left out 2 frames"])
  }

  @Test func sentry() throws {
    let text = """
      {"event_id": "1", "platform": "cocoa", "exception": {"values": [{"type": "App Hanging", "value": "2 s",
      "thread_id": 1}]}, "threads": {"values": [{"id": 1, "name": "main", "main": true, "crashed": false,
      "stacktrace": {"frames": [
      {"function": "main", "package": "/private/var/x/Shop.app/Shop", "in_app": true, "instruction_addr": "0x1010"},
      {"function": "load", "package": "/private/var/x/Shop.app/Shop", "in_app": true, "lineno": 7, "filename": "Cart.swift"},
      {"function": "read", "package": "/usr/lib/system/libsystem_kernel.dylib", "in_app": false}]}}]}}
      """
    let (trace, main) = (
      try BacktraceReader.read(Array(text.utf8)), try StackTexts.verdicts(Array(text.utf8))[0].main
    )
    #expect(trace.kind == .sentry && trace.threads[0].isMain)
    #expect(main?.frame?.name == "load" && main?.frame?.place == "Cart.swift:7" && main?.cause == .disk)
    #expect(value(.exception, trace) == "App Hanging")
  }

  @Test func euStack() throws {
    let text = """
      PID 2710 - process
      TID 2710:
      #0  0x00007f4f6c0fdfe9 read@@GLIBC_2.17 - /usr/lib/x86_64-linux-gnu/libc.so.6
          ./io/read.c:26:10
      #1  0x00005580a1b2c123 - 1 load_settings - /opt/shop/shop
          /src/shop/main.c:15:3
      TID 2711:
      #0  0x00007f4f6c103047 futex_wait
      """
    let (trace, main) = (
      try BacktraceReader.read(Array(text.utf8)), try StackTexts.verdicts(Array(text.utf8))[0].main
    )
    #expect(trace.kind == .euStack && trace.threads.map(\.isMain) == [true, false])
    #expect(main?.frame?.name == "load_settings" && main?.frame?.place == "/src/shop/main.c:15")
    #expect(main?.frame?.image == "shop" && main?.cause == .disk)
  }

  /// A list of strings as a program prints it.
  @Test func aPrintedList() throws {
    let text = #"["0   Shop   0x0000000104 load + 44", "1   Shop   0x0000000108 main + 80"]"#
    let trace = try BacktraceReader.read(Array(text.utf8))
    let symbols = try trace.threads[0].stacks()[0].frames.map(\.symbol)
    #expect(trace.kind == .list && symbols == ["load", "main"])
  }

  @Test func otherJSONIsRefusedInOneLine() {
    for text in ["{\"a\": 1}", "[1, 2]", "{\"traceEvents\": []}"] {
      #expect(
        StackTexts.mistake(text)
          == "line 1: unknown kind of JSON; rltrace reads .ips, MetricKit, KSCrash, Sentry and Swift's own"
      )
    }
  }

  /// 100,000 levels are refused without following them.
  @Test func deepJSON() {
    let deep = String(repeating: "{\"subFrames\":[", count: 100_000)
    #expect(StackTexts.mistake("{\"callStackTree\":" + deep)?.contains("levels") == true)
  }

  // MARK: The page

  @Test func theTableOfKinds() throws {
    let page = try ProjectFiles.text("docs/reference/commands/stack.md")
    #expect(
      page.contains(BacktraceKind.table.joined(separator: "\n")), "the page has to have what --formats prints"
    )
  }
}
