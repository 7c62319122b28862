// swift-tools-version: 6.2
import PackageDescription

// Packages that only the tool, the analysis and spans need. An app that embeds the recorder turns these traits off, so that
// it downloads only swift-system. The tool's builds do not download swift-distributed-tracing.
extension Target.Dependency {
  static let argumentParser = product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"]))
  static let yams = product(name: "Yams", package: "Yams", condition: .when(traits: ["Analysis"]))
  static let mustache = product(
    name: "Mustache", package: "swift-mustache", condition: .when(traits: ["Tool"]))
  static let heapModule = product(
    name: "HeapModule", package: "swift-collections", condition: .when(traits: ["Analysis"]))
  static let basicContainers = product(
    name: "BasicContainers", package: "swift-collections", condition: .when(traits: ["Analysis"]))
  static let tracing = product(
    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Spans"]))
}

/// Puts targets into the folder of a room: `Sources/ROOM/TARGET`, and `Tests/ROOM/TARGET` for tests.
func room(_ name: String, _ targets: [Target]) -> [Target] {
  for target in targets where target.path == nil {
    target.path = "\(target.type == .test ? "Tests" : "Sources")/\(name)/\(target.name)"
  }
  return targets
}

// The trace format, the vocabulary of run loops, and the system services that all parts need.
let trace = room(
  "Trace",
  [
    // The names of the domain, and durations as people write them.
    .target(name: "RunLoopVocabulary"),
    // Code that has to be in C: the layout of records and rings, emitting, ids, clocks.
    .target(name: "CRLTraceShims"),
    // Threads, locks and files of the system, and functions that the oldest supported systems lack.
    .target(name: "SystemSupport", dependencies: ["CRLTraceShims"]),
    // The trace file.
    .target(
      name: "TraceFormat",
      dependencies: [
        "RunLoopVocabulary", "CRLTraceShims", "SystemSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .systemLibrary(
      name: "CRLTraceZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "TraceCompression", dependencies: ["TraceFormat", "CRLTraceZstd"]),
  ])

// Files that are part of the program, and the YAML of its users.
let files = room(
  "Files",
  [
    // Templates, scripts, scenarios and rules. Written in C, because the C compiler embeds files at no cost.
    .target(name: "CRLTraceFiles"),
    .target(name: "EmbeddedFiles", dependencies: ["CRLTraceFiles"]),
    // YAML with every key checked: scenarios, profiles.
    .target(
      name: "CheckedYAML",
      dependencies: ["RunLoopVocabulary", .yams]),
  ])

// The modules that RunLoopTrace re-exports. Targets that import it list all of them. Otherwise an incremental build would
// not recompile these targets when the layout of a type in a re-exported module changes.
let runLoopTraceModules = ["RunLoopTrace", "RunLoopProbe", "TraceRecorder", "TraceFormat"]

// Apps for Apple's systems are built on a Mac. Elsewhere, a resource would link Foundation's Bundle for nothing.
#if os(macOS)
let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
#else
let privacyManifest: [Resource] = []
#endif

// For recording another program: the C library that is loaded into it. It uses libc only. Because of its flags, other
// packages cannot depend on this product.
#if os(Linux)
let preload: [Target] = [
  .target(
    name: "RunLoopPreload",
    cSettings: [
      .headerSearchPath("../../Trace/CRLTraceShims/include"), .headerSearchPath("../CRLTraceLoops/include"),
      .headerSearchPath("../CRLTraceStacks/include"),
      .headerSearchPath("."), .headerSearchPath("Code"), .headerSearchPath("EventLoops"),
      .headerSearchPath("Loops"), .headerSearchPath("Process"), .headerSearchPath("Queues"),
      // Even debug builds must not slow down the programs that they record.
      .unsafeFlags(["-O2"], .when(configuration: .debug)),
      // Valgrind ends a program that loads a library with debug information of a later version.
      .unsafeFlags(["-gdwarf-4"]),
    ],
    linkerSettings: [
      .unsafeFlags([
        "-nostartfiles", "-no-toolchain-stdlib-rpath",
        // A program may define `read` or `close` itself. The library's own calls must not reach the program's function.
        "-Xlinker", "-Bsymbolic",
        // The loader must not look functions up later, on the small stack of a program's thread.
        "-Xlinker", "-z", "-Xlinker", "now",
        // Without a name, the linker stores the path of the file.
        "-Xlinker", "-soname", "-Xlinker", "librltrace-preload.so",
      ])
    ])
]
let preloadProducts: [Product] = [
  // `rltrace record -- COMMAND` loads this into a program.
  .library(name: "rltrace-preload", type: .dynamic, targets: ["RunLoopPreload"])
]
#else
let preload: [Target] = []
let preloadProducts: [Product] = []
#endif

// Recording: in a program that links the recorder, or in any program from outside.
let recording = room(
  "Recording",
  [
    // Call stacks of a thread that stays in one place.
    .target(name: "CRLTraceStacks", dependencies: ["CRLTraceShims"]),
    // The drain: from the rings of a program to a trace.
    .target(
      name: "TraceRecorder",
      dependencies: ["SystemSupport", "TraceFormat", "RunLoopVocabulary", "CRLTraceShims", "CRLTraceStacks"]),
    // The recorder's calls to CoreFoundation, in C: observers, due points. RunLoopProbe and RunLoopPreload use it.
    .target(name: "CRLTraceLoops", dependencies: ["CRLTraceShims"]),
    .target(
      name: "RunLoopProbe",
      dependencies: [
        "TraceRecorder", "SystemSupport", "TraceFormat", "RunLoopVocabulary", "CRLTraceLoops",
        "CRLTraceShims",
        "CRLTraceStacks",
      ]),
    .target(
      name: "RunLoopTrace", dependencies: ["TraceRecorder", "RunLoopProbe"],
      exclude: privacyManifest.isEmpty ? ["PrivacyInfo.xcprivacy"] : [], resources: privacyManifest),
    // Spans of swift-distributed-tracing as intervals. Empty without the trait `Spans`.
    .target(name: "RunLoopSpans", dependencies: ["RunLoopProbe", .tracing]),
    // Demangling of C++ names, from the library that Swift's own runtime is linked with.
    .target(
      name: "Symbolication", dependencies: ["SystemSupport", "TraceFormat", "RunLoopVocabulary"],
      linkerSettings: [
        .linkedLibrary("stdc++", .when(platforms: [.linux])),
        .linkedLibrary("c++", .when(platforms: [.macOS])),
      ]),
    .target(
      name: "ProgramRecorder",
      dependencies: [
        "TraceRecorder", "Symbolication", "SystemSupport", "TraceFormat", "CRLTraceShims",
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
  ] + preload)

// Scripted run loops: scenarios, a model of the run loop, and predictions.
let scenarios = room(
  "Scenarios",
  [
    // CFRunLoop in virtual time.
    .target(
      name: "RunLoopModel",
      dependencies: ["RunLoopVocabulary", .heapModule]),
    .target(
      name: "Scenario",
      dependencies: [
        "EmbeddedFiles", "RunLoopVocabulary", "CheckedYAML", .yams,
      ],
      exclude: ["Library"]),
    .target(
      name: "ScenarioRunners",
      dependencies: [
        "Scenario", "RunLoopModel", "RunLoopProbe", "RunLoopVocabulary", "SystemSupport", "TraceFormat",
        "CRLTraceShims",
        .heapModule,
      ]),
    // Predictions: a recording replayed on the model, with changes.
    .target(
      name: "WhatIf",
      dependencies: ["RunLoopModel", "RunLoopVocabulary", "TraceFormat"]),
  ])

// Call stacks and descriptions of run loops, also from other tools.
let stacks = room(
  "Stacks",
  [
    // The function to blame, and the cause of its wait.
    .target(
      name: "CallStacks",
      dependencies: [
        "EmbeddedFiles", "RunLoopVocabulary", "CheckedYAML", .yams,
      ],
      exclude: ["Library"]),
    // Call stacks in the texts of other tools.
    .target(name: "Backtraces", dependencies: ["CallStacks", "RunLoopVocabulary", "SystemSupport"]),
    // The contents of a run loop, read from CoreFoundation's description of it.
    .target(name: "LoopTopology", dependencies: ["RunLoopVocabulary"]),
  ])

// Analysis: facts, results and findings.
let analysis = room(
  "Analysis",
  [
    // The contents of a recording, as facts: the interface between readers and users of recordings.
    .target(name: "TraceFacts", dependencies: ["RunLoopVocabulary"]),
    .target(
      name: "TraceReplay",
      dependencies: [
        "RunLoopVocabulary", "TraceFacts", "SystemSupport", "TraceFormat",
        .basicContainers,
        .heapModule,
      ]),
    .target(
      name: "TraceResults", dependencies: ["RunLoopVocabulary", "TraceFormat", "CallStacks", "LoopTopology"]),
    .target(
      name: "TraceFindings", dependencies: ["TraceResults", "CallStacks", "TraceFormat", "RunLoopVocabulary"]),
    .target(
      name: "TraceAnalysis",
      dependencies: [
        "TraceFacts", "TraceReplay", "TraceResults", "TraceFindings", "CallStacks", "LoopTopology",
        "SystemSupport", "TraceFormat", "RunLoopVocabulary",
      ]),
    // Checks whether a trace is sound: its bytes, its structure and the order of its events.
    .target(
      name: "TraceValidation",
      dependencies: ["TraceFormat", "TraceReplay", "TraceResults", "RunLoopVocabulary"]),
    .target(
      name: "RunLoopTraceAnalysis",
      dependencies: ["TraceFormat", "TraceCompression", "TraceFacts", "TraceReplay", "TraceAnalysis"]),
  ])

// Results compared, and judged by rules.
let judgement = room(
  "Judgement",
  [
    // Each column of a result, declared once.
    .target(
      name: "TraceTables",
      dependencies: [
        "CallStacks", "LoopTopology", "TraceResults", "TraceAnalysis", "TraceFacts", "TraceReplay",
        "SystemSupport", "TraceFormat",
      ]),
    // Two traces compared with each other.
    .target(
      name: "TraceComparison",
      dependencies: ["CallStacks", "TraceTables", "TraceAnalysis", "TraceReplay", "TraceFormat"]),
    // One trace checked against rules.
    .target(
      name: "TraceGate",
      dependencies: [
        "TraceTables", "TraceAnalysis", "TraceReplay", "TraceResults", "TraceFormat", "CallStacks",
        "RunLoopVocabulary",
      ]),
    // Many recordings: summaries that can be added up, and builds judged by them.
    .target(
      name: "TraceFleet",
      dependencies: [
        "RunLoopVocabulary", "TraceFormat", "TraceResults", "TraceAnalysis", "TraceTables", "TraceComparison",
      ]),
    // Rules for run loops in unit tests. Test bundles link it.
    .target(
      name: "RunLoopBudgets",
      dependencies: runLoopTraceModules.map { .byName(name: $0) } + [
        "SystemSupport",
        "RunLoopVocabulary", "CRLTraceShims", "Symbolication", "CallStacks", "TraceResults", "TraceAnalysis",
        "TraceReplay", "TraceGate",
      ]),
  ])

// Text, pages, and the formats of other tools.
let output = room(
  "Output",
  [
    // Code that reports share: columns of text, JSON, CSV, templates, and advice that names commands.
    .target(
      name: "ReportWriting",
      dependencies: [
        "EmbeddedFiles", "SystemSupport", "CallStacks", "TraceResults", "TraceAnalysis", "TraceTables",
        .mustache,
      ], exclude: ["Resources"]),
    // Traces, analyses, stacks and run loops as text and JSON, and the screen of `rltrace watch`.
    .target(
      name: "TextReport",
      dependencies: [
        "ReportWriting", "EmbeddedFiles", "RunLoopVocabulary", "SystemSupport", "TraceFormat", "CallStacks",
        "LoopTopology", "TraceReplay", "TraceResults", "TraceAnalysis", "TraceValidation", "TraceTables",
      ]),
    // Analyses as HTML pages.
    .target(
      name: "PageReport",
      dependencies: [
        "ReportWriting", "EmbeddedFiles", "TraceFormat", "CallStacks", "TraceFacts", "TraceReplay",
        "TraceAnalysis", "TraceTables", .mustache,
      ], exclude: ["Resources"]),
    // Comparisons, gates, fleets and predictions in every form.
    .target(
      name: "JudgementReport",
      dependencies: [
        "ReportWriting", "EmbeddedFiles", "CallStacks", "TraceReplay", "TraceResults", "TraceAnalysis",
        "TraceTables", "TraceComparison", "TraceGate", "TraceFleet", "TraceFormat", "WhatIf",
      ], exclude: ["Resources"]),
    // Recordings in the formats of other tools, and their tables.
    .target(
      name: "TraceExchange",
      dependencies: [
        "ReportWriting", "RunLoopVocabulary", "SystemSupport", "CallStacks", "TraceFacts", "TraceReplay",
        "TraceTables", "TraceResults", "TraceAnalysis", "TraceFormat",
      ]),
    // Recordings of other tools as traces.
    .target(
      name: "TraceImport",
      dependencies: ["RunLoopVocabulary", "TraceResults", "TraceReplay", "SystemSupport", "TraceFormat"]),
  ])

// The command-line tools.
let commands = room(
  "Commands",
  [
    // For builds by tools/install: an empty ICU data file replaces 34 MB that rltrace does not use, and a function of
    // glibc 2.36 is not needed. Otherwise empty.
    .target(name: "CRLTraceStandIns"),
    .executableTarget(
      name: "rltrace",
      dependencies: [
        "RunLoopVocabulary", "SystemSupport", "TraceFormat", "TraceCompression", "TraceRecorder",
        "RunLoopProbe", "CheckedYAML",
        "Scenario", "ScenarioRunners", "ProgramRecorder", "CallStacks", "Backtraces",
        "Symbolication", "LoopTopology", "TraceFacts", "TraceReplay", "TraceResults", "TraceTables",
        "TraceAnalysis",
        "TraceComparison",
        "TraceGate", "TraceFleet", "TraceValidation", "ReportWriting", "TextReport", "PageReport",
        "JudgementReport", "TraceExchange", "TraceImport", "WhatIf",
        "CRLTraceShims", "CRLTraceStacks",
        "CRLTraceStandIns",
        .argumentParser,
        .product(name: "SystemPackage", package: "swift-system"),
        .yams,
      ]),
    .executableTarget(
      name: "rltrace-bench",
      dependencies: [
        "SystemSupport", "TraceFormat", "TraceCompression", "TraceRecorder", "RunLoopProbe",
        "ScenarioRunners",
        "CRLTraceShims",
        .argumentParser,
      ]),
  ])

// Programs and libraries that tests run.
let fixtures: [Target] = [
  .executableTarget(
    name: "sequence-fixture", dependencies: runLoopTraceModules.map { .byName(name: $0) },
    path: "Tests/Fixtures/SequenceFixture"),
  .executableTarget(
    name: "embedded-example", dependencies: runLoopTraceModules.map { .byName(name: $0) },
    path: "Tests/Fixtures/EmbeddedExample"),
  .executableTarget(
    name: "loop-programs", path: "Tests/Fixtures/LoopPrograms",
    // Most recorded programs are written in this mode.
    swiftSettings: [.swiftLanguageMode(.v5)]),
  .executableTarget(
    name: "queue-programs", path: "Tests/Fixtures/QueuePrograms", swiftSettings: [.swiftLanguageMode(.v5)]),
  .executableTarget(
    name: "field-programs", path: "Tests/Fixtures/FieldPrograms", swiftSettings: [.swiftLanguageMode(.v5)]),
  .testTarget(
    name: "WaitingTests", path: "Tests/Fixtures/WaitingTests", swiftSettings: [.swiftLanguageMode(.v5)]),
  .target(name: "CVirtualKernel", path: "Tests/Fixtures/VirtualKernel"),
  .executableTarget(
    name: "differential",
    dependencies: [
      "CRLTraceShims", "RunLoopModel", "RunLoopProbe", "Scenario", "ScenarioRunners", "CVirtualKernel",
      "RunLoopVocabulary", "TestSupport",
      .argumentParser,
    ], path: "Tests/Scenarios/Differential"),
  .executableTarget(
    name: "what-if-check",
    dependencies: [
      "WhatIf", "Scenario", "ScenarioRunners", "TraceFormat", "TestSupport",
      .argumentParser,
    ], path: "Tests/Scenarios/WhatIfCheck"),
  .executableTarget(name: "kill-at-call", path: "Tests/Fixtures/KillAtCall"),
  .executableTarget(name: "event-loop-programs", path: "Tests/Fixtures/EventLoopPrograms"),
  .executableTarget(
    name: "dispatch-programs", path: "Tests/Fixtures/DispatchPrograms",
    linkerSettings: [.linkedLibrary("dispatch", .when(platforms: [.linux]))]),
  .target(name: "CForkSupport", dependencies: ["CRLTraceShims"], path: "Tests/Fixtures/CForkSupport"),
]

// The code that tests share, and functions that read untrusted bytes.
let support: [Target] = [
  .target(
    name: "TestSupport",
    dependencies: [
      "RunLoopVocabulary", "TraceFormat", "TraceCompression", "TraceFacts", "TraceReplay", "TraceAnalysis",
      "Scenario",
    ],
    path: "Tests/TestSupport"),
  // Functions that read untrusted bytes, and the properties of their results.
  .target(
    name: "FuzzTargets",
    dependencies: [
      "TestSupport", "TraceFormat", "TraceCompression", "TraceRecorder", "CRLTraceShims", "TraceValidation",
      "TraceReplay", "TraceAnalysis", "TraceTables", "TraceComparison", "TraceGate", "ReportWriting",
      "TextReport", "PageReport", "JudgementReport",
      "Scenario",
      "LoopTopology", "TraceExchange",
      "Backtraces", "RunLoopVocabulary", "WhatIf",
    ], path: "Tests/FuzzTargets"),
  .testTarget(
    name: "FuzzTests",
    dependencies: [
      "FuzzTargets", "TraceFormat", "TraceAnalysis", "TextReport", "PageReport", "TraceValidation",
      "TestSupport",
    ], path: "Tests/FuzzTests"),
]

// The tests of each room.
let tests = [
  room(
    "Trace",
    [
      .testTarget(
        name: "TraceFormatTests",
        dependencies: [
          "RunLoopVocabulary", "SystemSupport", "TraceFormat", "TraceCompression", "TestSupport",
        ])
    ]),
  room(
    "Recording",
    [
      .testTarget(
        name: "TraceRecorderTests",
        dependencies: [
          "TraceRecorder", "SystemSupport", "TraceFormat", "TraceCompression", "CRLTraceShims",
          "CRLTraceStacks",
          "CForkSupport",
          "TestSupport",
        ]),
      .testTarget(
        name: "RunLoopProbeTests",
        dependencies: [
          "RunLoopTrace", "Scenario", "ScenarioRunners", "SystemSupport", "TraceFormat", "TraceAnalysis",
          "TraceRecorder", "RunLoopProbe", "CRLTraceShims", "TestSupport",
          "rltrace",
          "sequence-fixture", "embedded-example",
        ]),
      .testTarget(name: "SymbolicationTests", dependencies: ["Symbolication", "TraceFormat", "TestSupport"]),
    ]),
  room(
    "Scenarios",
    [
      .testTarget(
        name: "ScenarioTests",
        dependencies: [
          "CheckedYAML", "Scenario", "ScenarioRunners", "TraceFormat", "TraceReplay",
          "TraceAnalysis", "TraceFindings", "ReportWriting", "TextReport", "PageReport", "TraceGate",
          "TraceValidation",
          "RunLoopVocabulary", "TestSupport", "differential",
        ]),
      .testTarget(
        name: "WhatIfTests",
        dependencies: [
          "WhatIf", "TraceAnalysis", "Scenario", "ScenarioRunners", "TraceFormat", "TestSupport",
          "what-if-check",
        ]),
    ]),
  room(
    "Stacks",
    [
      .testTarget(
        name: "CallStacksTests",
        dependencies: ["CallStacks", "RunLoopVocabulary", "CheckedYAML", "TestSupport"]),
      .testTarget(
        name: "BacktracesTests",
        dependencies: ["Backtraces", "CallStacks", "RunLoopVocabulary", "TestSupport"]),
      .testTarget(
        name: "LoopTopologyTests",
        dependencies: ["LoopTopology", "RunLoopVocabulary", "TestSupport", "loop-programs"]),
    ]),
  room(
    "Analysis",
    [
      .testTarget(
        name: "TraceAnalysisTests",
        dependencies: [
          "TraceAnalysis", "TraceResults", "TraceFacts", "TraceReplay", "ReportWriting", "TextReport",
          "TraceRecorder",
          "SystemSupport", "TraceFormat", "TraceCompression", "CallStacks", "LoopTopology",
          "RunLoopVocabulary",
          "TestSupport",
        ]),
      .testTarget(
        name: "TraceValidationTests",
        dependencies: ["TraceValidation", "TraceFormat", "TestSupport"]),
    ]),
  room(
    "Judgement",
    [
      .testTarget(
        name: "TraceComparisonTests",
        dependencies: [
          "TraceComparison", "TraceTables", "TraceAnalysis", "ReportWriting", "PageReport", "JudgementReport",
          "TestSupport",
        ]),
      .testTarget(
        name: "TraceGateTests",
        dependencies: [
          "TraceGate", "TraceReplay", "TraceAnalysis", "ReportWriting", "TextReport", "PageReport",
          "TraceFormat",
          "RunLoopVocabulary",
          "TestSupport",
        ]),
      .testTarget(
        name: "TraceFleetTests",
        dependencies: [
          "TraceFleet", "TraceResults", "TraceAnalysis", "TraceFormat", "RunLoopVocabulary", "TestSupport",
        ]),
    ]),
  room(
    "Output",
    [
      .testTarget(
        name: "TextReportTests",
        dependencies: [
          "TextReport", "ReportWriting", "PageReport", "TraceExchange", "TraceTables", "TraceAnalysis",
          "TraceFacts", "TraceReplay", "TraceFormat", "TestSupport",
        ]),
      .testTarget(
        name: "PageReportTests",
        dependencies: [
          "PageReport", "ReportWriting", "EmbeddedFiles", "TraceAnalysis", "TraceFacts", "TraceReplay",
          "TraceFormat", "TestSupport",
        ]),
      .testTarget(
        name: "TraceExchangeTests",
        dependencies: [
          "TraceExchange", "TraceFacts", "TraceAnalysis", "TraceTables", "TraceFormat", "TestSupport",
        ]),
      .testTarget(
        name: "TraceImportTests",
        dependencies: [
          "TraceImport", "TraceFacts", "TraceReplay", "TraceResults", "TraceAnalysis", "TraceFormat",
          "TraceValidation", "CallStacks", "TestSupport",
        ]),
    ]),
  room(
    "Commands",
    [
      .testTarget(
        name: "CommandTests",
        dependencies: [
          "rltrace", "loop-programs", "field-programs", "queue-programs", "embedded-example",
          "sequence-fixture",
          "kill-at-call",
          "Scenario",
          "SystemSupport", "TraceFormat", "TraceCompression",
          "TraceRecorder", "TraceReplay", "TraceAnalysis", "TraceImport", "TextReport", "JudgementReport",
          "TestSupport",
          .yams,
        ]),
      // Tests that need real time. They run last.
      .testTarget(
        name: "RealTimeTests",
        dependencies: [
          "rltrace", "loop-programs", "field-programs", "queue-programs", "event-loop-programs",
          "dispatch-programs", "sequence-fixture", "differential",
          "TraceFormat", "TraceRecorder",
          "TraceResults", "TraceAnalysis", "LoopTopology", "RunLoopVocabulary", "CRLTraceShims",
          "TestSupport",
        ]),
    ]),
].flatMap { $0 }

// The program that tools/fuzz builds. It is separate because it links only with libFuzzer.
let fuzzer: [Target] = [
  .executableTarget(name: "rltrace-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz")
]

let package = Package(
  name: "rltrace",
  // The systems on which an app that embeds the recorder can run. The tests of this package need newer ones: see the end.
  platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: [
    .executable(name: "rltrace", targets: ["rltrace"]),
    // An app links this to record itself.
    .library(name: "RunLoopTrace", targets: runLoopTraceModules),
    // A program links this to read and analyze traces.
    .library(name: "RunLoopTraceAnalysis", targets: ["RunLoopTraceAnalysis"]),
    // A test bundle links this to judge its run loops. It needs the trait `Budgets`.
    .library(name: "RunLoopBudgets", targets: ["RunLoopBudgets"] + runLoopTraceModules),
    // A program with spans of swift-distributed-tracing links this to record them. It needs the trait `Spans`.
    .library(name: "RunLoopSpans", targets: ["RunLoopSpans"] + runLoopTraceModules),
  ] + preloadProducts,
  traits: [
    .trait(name: "Analysis", description: "RunLoopTraceAnalysis: reading and analyzing traces."),
    .trait(
      name: "Budgets", description: "RunLoopBudgets: run-loop rules in unit tests.",
      enabledTraits: ["Analysis"]),
    .trait(name: "Spans", description: "RunLoopSpans: spans of swift-distributed-tracing as intervals."),
    .trait(name: "Tool", description: "The command-line tool.", enabledTraits: ["Analysis"]),
    .default(enabledTraits: ["Tool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
  ],
  targets: trace + files + recording + scenarios + stacks + analysis + judgement + output + commands
    + fixtures
    + support + tests
    + (Context.environment["RLTRACE_FUZZER"] == "1" ? fuzzer : [])
)

// These targets mark each unsafe operation.
for name in [
  "TraceCompression", "Symbolication", "ProgramRecorder", "TraceRecorder", "RunLoopProbe", "TraceFacts",
  "TraceReplay", "TraceAnalysis", "TraceTables",
] {
  for target in package.targets where target.name == name {
    target.swiftSettings = (target.swiftSettings ?? []) + [.strictMemorySafety()]
  }
}

// Tests may use any API of the system that they run on, because no other package links them.
for target in package.targets where target.path?.hasPrefix("Tests/") == true {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .unsafeFlags(["-Xfrontend", "-disable-availability-checking"], .when(platforms: [.macOS]))
    ]
}

// Tests that do heavy computation themselves need the optimizer. For other tests, optimizing would take longer than the
// rest of the compilation. No other package links them.
let computing: Set = ["FuzzTests", "ScenarioTests", "TraceAnalysisTests", "TraceFormatTests"]
for target in package.targets where target.type == .test && !computing.contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
}

// Continuous integration treats warnings as errors. The flags are set here, because flags on the command line would apply
// to dependencies as well.
if Context.environment["RLTRACE_WARNINGS_AS_ERRORS"] == "1" {
  for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    target.cSettings =
      (target.cSettings ?? []) + [
        .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
      ]
  }
}
