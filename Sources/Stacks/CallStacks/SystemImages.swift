/// Images, sources and functions that do not belong to an app, by names that are the same on every system.
enum SystemImages {
  /// Folders whose libraries come with the system or the toolchain.
  static let folders = [
    "/System/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/libexec/", "/Library/Apple/",
    "/usr/share/swift/", "/Library/Developer/Toolchains/",
  ]

  /// Parts of paths under which the system's folders appear again: of simulators, updates, symbols for debuggers.
  static let roots = [
    "/RuntimeRoot/", "/Cryptexes/OS/", "/Symbols/System/", "/Symbols/usr/lib/", ".simruntime/", "/Xcode.app/",
    "/Contents/Developer/Platforms/",
  ]

  /// Returns whether a file name is that of a system library.
  static func isSystem(_ image: String) -> Bool { apple.contains(image) || patterns.anyMatches(image) }

  /// Libraries of the system and the toolchain inside an app's bundle.
  static let bundled = ["libswift*", "libclang_rt*", "libXCTest*", "XCTest*", "Testing", "libMainThread*"].map
  {
    Glob($0)
  }

  private static let patterns = (linux + applePatterns).map { Glob($0) }

  private static let linux = [
    "[vdso]", "linux-vdso*", "ld-linux*", "ld-musl*", "libc.so*", "libc-*.so", "libpthread*", "libm.so*",
    "libm-*.so", "libdl.so*", "librt.so*", "libresolv*.so*", "libnss_*", "libanl*", "libgcc_s*", "libstdc++*",
    "libc++*.so*", "libunwind*", "libasan*", "libtsan*", "libswift*", "libFoundation*", "lib_Foundation*",
    "lib_Internal*", "libdispatch*", "libBlocksRuntime*", "libXCTest*", "libTesting*", "libglib-2*",
    "libgobject-2*", "libgio-2*", "libgmodule-2*", "libgtk-*", "libgdk*", "libgsk*", "libcairo*", "libpango*",
    "libharfbuzz*", "libpixman*", "libfreetype*", "libfontconfig*", "libX11*", "libXext*", "libXi*",
    "libxcb*",
    "libwayland*", "libEGL*", "libGL*", "libgallium*", "libdrm*", "libQt5*", "libQt6*", "libdbus-1*",
    "libsystemd*", "libudev*", "libuv.so*", "libev.so*", "libevent*", "libsqlite3*", "libcurl*", "libssl*",
    "libcrypto*", "libgnutls*", "libnghttp*", "libsoup*", "libz.so*", "libzstd*", "liblzma*", "libxml2*",
    "libicu*", "libpng*", "libjpeg*", "libasound*", "libpulse*", "librltrace-preload*",
  ]

  private static let applePatterns = [
    "com.apple.*", "kernel", "kernel.*", "dyld*", "libdyld*", "libsystem_*", "libSystem*", "libobjc*",
    "libxpc*",
    "libc++*.dylib", "libicucore*", "libboringssl*", "libnetwork*", "libcommonCrypto*", "libcorecrypto*",
    "libcache*", "libcopyfile*", "libsandbox*", "libz.*dylib", "libcompression*", "libMobileGestalt*",
    "libAccessibility*", "libGPUSupport*", "libMainThreadChecker*", "libBacktraceRecording*",
    "libViewDebuggerSupport*", "libRPAC*", "libRosetta*", "libFontParser*", "libFontRegistry*",
    "libAppleArchive*",
    "libAppletTranslation*", "libBLAS*", "libLAPACK*", "libvDSP*", "libvMisc*", "libBNNS*", "libSparse*",
    "libCRFSuite*", "libCoreStorage*", "libCTGreenTeaLogger*", "libCVMS*", "libEDR*", "libFosl*",
    "libGFXShared*",
    "libGLImage*", "libGLProgrammability*", "libGSFont*", "libIOReport*", "libJP2*", "libJPEG*", "libPng*",
    "libRadiance*", "libTIFF*", "libGIF*", "libAWDSupport*", "libAudioStatistics*", "libAudioToolboxUtility*",
    "libauditd*", "libarchive*", "libbsm*", "libbz2*", "libcharset*", "libiconv*", "libcoretls*",
    "libcupolicy*",
    "libcrypto.*dylib", "libcurl.*dylib", "libcmark*", "libdispatch*", "libdns_services*", "libdscsym*",
    "libedit*", "libenergytrace*", "libexslt*", "libhvf*", "libheimdal*", "liblaunch*", "liblangid*",
    "liblockdown*",
    "liblzma*", "libmacho*", "libmecab*", "libmis*", "libncurses*", "libnotify*",
    "libpartition*",
    "libpcap*", "libperfcheck*", "libprequelite*", "libquarantine*", "libquic*", "libremovefile*",
    "libresolv*",
    "libspindump*", "libsqlite3*", "libsysdiagnose*", "libtailspin*", "libtidy*", "libunwind*", "libusrtcp*",
    "libutil*", "libwatchdog*", "libxml2*", "libxslt*", "CoreAudio*", "CoreServices*", "CoreDuet*",
    "MetalPerformance*", "MPS*", "AGX*", "AudioToolbox*", "Contacts*", "EventKit*", "Photos*", "TextInput*",
    "XCTest*", "Accessibility*", "WebKit*", "Siri*", "UserNotifications*", "HealthKit*", "HomeKit*",
  ]

  /// Frameworks of Apple's systems, by file name.
  private static let apple = Set(
    """
    AVFAudio AVFCapture AVFCore AVFoundation AVKit AVRouting AXAssetLoader AXCoreUtilities AXMediaUtilities
    AXRuntime Accelerate Accounts AccountsDaemon ActionKit ActivityKit AdAttributionKit AdID AdServices
    AdSupport AddressBook AddressBookUI AggregateDictionary AirPlaySupport AirTraffic AlarmKit AnnotationKit
    AppAnalytics AppConduit AppIntents AppKit AppPredictionClient AppPredictionInternal AppServerSupport
    AppStoreDaemon AppSupport AppSupportUI AppTrackingTransparency AppleAccount AppleFSCompression
    AppleIDAuthSupport AppleIDSSOAuthentication AppleMediaServices AppleMediaServicesUI AppleNeuralEngine
    ApplePushService AppleSauce ArouetBase AssertionServices AssetCacheServices AssetsLibrary
    AssetsLibraryServices AssistantServices AttributeGraph AudioAnalytics AudioCodecs AudioDSP AudioSession
    AudioUnit AuthKit AuthenticationServices AutomaticAssessmentConfiguration BackBoardServices
    BackgroundAssets BackgroundTasks BaseBoard BaseBoardUI BatteryCenter BiomeFoundation BiomeLibrary
    BiomePubSub BiomeStorage BiomeStreams BiometricKit BluetoothManager BoardServices Bom BrowserEngineKit
    BulletinBoard BusinessChat CFNetwork CIDV CPAnalytics CPMS Calculate CalendarDaemon CalendarDatabase
    CalendarFoundation CalendarUIKit CallKit CameraUI CarKit CarPlay CarbonCore Celestial CellularPlanManager
    Charts ChatKit ChronoKit ChronoServices CinematicFraming ClassKit ClockKit CloudDocs CloudDocsDaemon
    CloudKit CloudKitCode CloudPhotoLibrary CloudServices ColorFoundation ColorSync Combine CommonUtilities
    CommunicationsFilter CompanionLink Compression ContentKit ControlCenterServices CoreAUC CoreAVCHD
    CoreAccessories CoreAnalytics CoreAppleCVA CoreAuthentication CoreAutoLayout CoreBluetooth CoreBrightness
    CoreCDP CoreCDPInternal CoreDAV CoreData CoreDisplay CoreEmoji CoreFollowUp CoreFoundation CoreGlyphs
    CoreGraphics CoreHAP CoreHandwriting CoreHaptics CoreIDV CoreImage CoreKnowledge CoreLocation
    CoreLocationUI CoreMIDI CoreML CoreMaterial CoreMedia CoreMediaIO CoreMediaStream CoreMotion CoreNFC
    CoreNLP CoreNavigation CoreOC CoreOptimization CorePDF CoreParsec CorePhoneNumbers CorePrediction CoreRE
    CoreRecents CoreRecognition CoreRoutine CoreSDB CoreSVG CoreSpeech CoreSpotlight CoreSuggestions
    CoreSuggestionsInternals CoreSymbolication CoreTelephony CoreText CoreThemeDefinition CoreTime
    CoreTransferable CoreUI CoreUtils CoreUtilsExtras CoreVideo CoreWLAN CoreWiFi CoverSheet
    CrashReporterSupport CreateML CryptoKit CryptoKitCBridging CryptoKitPrivate CryptoTokenKit DataAccess
    DataAccessExpress DataDetectorsCore DataDetectorsNaturalLanguage DataDetectorsUI DataMigration
    DebugSymbols DeepThought DeviceActivity DeviceCheck DeviceDiscoveryUI DeviceIdentity DeviceManagement
    DiagnosticExtensions DictionaryServices DifferentialPrivacy DiskArbitration DiskImages DoNotDisturb
    DoNotDisturbKit DocumentCamera DocumentManager DocumentManagerCore DuetActivityScheduler EAP8021X
    EmailCore EmailFoundation EmbeddedAcousticRecognition EmojiFoundation Engram EnhancedLoggingState Espresso
    ExposureNotification ExtensionFoundation ExtensionKit ExternalAccessory FMCoreLite FTAWD FTClientServices
    FTServices FaceCore FamilyCircle FamilyControls FeedbackCore FileProvider FileProviderDaemon FinanceKit
    FindMyDevice FlowKit FontServices Foundation FrontBoard FrontBoardServices FuseUI FusionPluginKit GLKit
    GPURawCounter GSS GameCenterFoundation GameCenterUI GameController GameControllerSettings GameKit
    GameplayKit GenerationalStorage GeoServices GraphKit GraphicsServices GroupActivities HID HIDAnalytics
    HIDDisplay HIDRMClient HIServices HIToolbox HangTracer Hangtracer Haptics HealthDaemon HealthKit
    HealthKitUI HealthUI Heimdal HelpKit HomeKit HomeKitCore HomeSharing IAP IAPAuthentication IDS
    IDSFoundation IMAVCore IMCore IMDMessageServices IMDPersistence IMFoundation IMSharedUtilities
    IMTransferServices IOAVFamily IOAccelMemoryInfo IOAccelerator IOBluetooth IOBluetoothUI IOHID
    IOImageLoader IOKit IOMobileFramebuffer IOPlatformPluginFamily IOPresentment IOStreamAVFamily IOSurface
    IOSurfaceAccelerator IOUSBHost IconFoundation IconServices IdentityLookup IdentityLookupUI
    ImageCaptureCore ImageIO ImagePlayground InAppMessages InfoKit InputMethodKit InstallCoordination Intents
    IntentsCore IntentsFoundation IntentsUI InternationalSupport IntlPreferences JavaScriptCore JetEngine
    JetPack JournalingSuggestions KeychainCircle KnowledgeGraphKit KnowledgeMonitor LSKit LaunchServices
    LinkMetadata LinkPresentation LinkServices LiveCommunicationKit LocalAuthentication
    LocalAuthenticationCoreUI LocationSupport LockoutUI LoggingSupport MFAAuthentication MIDI MLAssetIO
    MLCompute MLModelSpecification MMCS MPSCore MSUDataAccessor MailCore MailKit MailServices
    MallocStackLogging ManagedConfiguration ManagedSettings MapKit MapsSupport MapsSync MarketplaceKit
    MarkupUI MaterialKit Matter MatterSupport MediaAccessibility MediaControls MediaExperience MediaFoundation
    MediaLibraryCore MediaPlatform MediaPlayer MediaPlayerUI MediaRemote MediaServices MediaSetup MediaStream
    MediaToolbox MediaUI MessageProtection MessageSupport MessageUI Messages Metal MetalFX MetalKit MetalTools
    MetricKit MobileActivation MobileAsset MobileBackup MobileBluetooth MobileContainerManager
    MobileCoreServices MobileDeviceLink MobileGestalt MobileIcons MobileInstallation MobileKeyBag
    MobileSafariUI MobileSpotlightIndex MobileSystemServices MobileTimer MobileWiFi ModelIO MomentsFoundation
    Montreal MultipeerConnectivity MusicKit MusicLibrary NLP NanoPreferencesSync NanoRegistry NanoTimeKit
    NaturalLanguage NearbyInteraction NetAppsUtilities NetFS Network NetworkExtension NetworkServiceProxy
    NetworkStatistics NewsKit NotesShared NotificationCenter NotificationsUI OSALogging OSAnalytics
    OSEligibility OSLog Observation OfficeImport OnBoardingKit OpenAL OpenCL OpenDirectory OpenGL OpenGLES
    Opus OrionFoundation PDFKit PaperKit ParsecSubscriptionServiceSupport PassKit PassKitCore PassKitUI
    PencilKit PerformanceAnalysis PersistentConnection PersonaKit PersonaUI PersonalizationPortrait
    PhoneNumbers PhotoAnalysis PhotoFoundation PhotoImaging PhotoLibrary PhotoLibraryServices PhotoVision
    PhysicsKit PlugInKit PlugInKitDaemon PointerUIServices PosterBoardServices PosterKit PowerLog Preferences
    PreferencesUI PrintKit PrintKitUI PrivacyAccounting ProVideo ProactiveSupport ProofReader Proximity
    ProximityReader PushKit PushToTalk Quagga QuartzCore QuickLook QuickLookSupport QuickLookThumbnailing
    QuickLookUI REServerClient RTCReporting RealityFoundation RealityIO RealityKit RelevanceKit RemindersUI
    RemoteConfiguration RemoteManagement RemoteServiceDiscovery RemoteTextInput RemoteUI RemoteViewServices
    RemoteXPC RenderBox ReplayKit ReplicatorServices ResponseKit RichLink RoomPlan RunningBoardServices
    SafariCore SafariFoundation SafariServices SafariShared SafetyKit SceneKit ScreenCaptureKit
    ScreenReaderCore ScreenSaver ScreenTime ScreenTimeCore ScreenTimeUI SearchFoundation SearchUI
    SecureChannel Security SecurityFoundation SecurityInterface SensingPredict SensitiveContentAnalysis
    SensorKit ServiceExtensionsCore ServiceManagement SetupAssistant ShareSheet SharedUtils
    SharedWebCredentials SharedWithYou SharedWithYouCore Sharing SharingUI ShazamKit ShortcutsKit
    SiriInstrumentation SiriKit SkyLight SlideshowKit SoftLinking SoftwareUpdateCore SoftwareUpdateServices
    SoundAnalysis SoundAutoConfig Spatial Speech SpeechDetector SpeechRecognitionCore SplashBoard Spotlight
    SpotlightServices SpringBoard SpringBoardFoundation SpringBoardServices SpringBoardUI
    SpringBoardUIServices SpriteKit StatusKit StickerKit StocksKit StoreKit StoreKitUI StoreServices
    StreamingZip Suggestions SwiftData SwiftUI SwiftUICore Symbolication Symbols SymptomAnalytics
    SymptomEvaluator Synapse SyncedDefaults SystemConfiguration SystemWake TCC TVMLKit TVServices TVUIKit
    TabularData TelephonyPreferences TelephonyUI TelephonyUtilities TemplateKit TextRecognition TextToSpeech
    TextUnderstanding ThreadNetwork TimeSync TimeZone TipKit ToneKit ToneLibrary TouchRemote Translation
    TranslationUI Transparency Trial TrialProto TrustEvaluationAgent Tungsten UIAccessibility UIFoundation
    UIIntelligenceSupport UIKit UIKitCore UIKitServices UIUnderstanding URLFormatting UVFSXPCService
    UnifiedAssetFramework UniformTypeIdentifiers UsageTracking UserActivity UserFS UserManagement UserSafety
    VectorKit VideoProcessing VideoSubscriberAccount VideoToolbox VideosUICore VirtualGarage Virtualization
    Vision VisionKit VisionKitCore VisualLookUp VoiceMemos VoiceServices VoiceShortcutClient VoiceShortcuts
    VoiceTrigger WPDaemon WatchConnectivity WatchKit WeatherKit WebApp WebBookmarks WebContentAnalysis WebCore
    WebGPU WebInspector WebKit WebKitLegacy WebUI WiFiKit WiFiPeerToPeer WidgetKit WirelessDiagnostics
    WirelessProximity WorkflowKit WorkoutKit WritingTools XCTAutomationSupport iAd iCalendar iCloudQuota
    iTunesCloud iTunesStore iTunesStoreUI
    """.split { $0 == " " || $0 == "\n" }.map(String.init))

  /// Paths of the sources of system libraries at build time, as debuggers show them.
  static let sources = [
    "../sysdeps/", "../csu/", "./csu/", "./nptl/", "./io/", "./socket/", "./stdlib/", "./misc/", "./time/",
    "./posix/", "./elf/", "./malloc/", "./libio/", "./resolv/", "./inet/", "./nss/", "./signal/", "./string/",
    "//<compiler-generated>", "<compiler-generated>", "/<compiler-generated>",
  ]

  /// Sources whose functions are compiled into programs: headers, the standard library of Rust, and the libraries that
  /// Node.js contains.
  static let compiledIn = [
    "*/usr/include/*", "*/include/c++/*", "*.sdk/*", "/rustc/*", "*/rustlib/src/rust/library/*",
    "/usr/src/rustc*", "*/out/../deps/*",
  ].map { Glob($0) }

  /// Functions that are compiled into programs without source lines as well: those of Rust's standard library that wait
  /// or call the program's functions, and those of V8 and libuv, which Node.js contains.
  static let compiledInFunctions = [
    "std::sys::*", "std::sync::*", "std::thread::*", "std::io::*", "std::rt::*", "std::panic*",
    "core::ops::function::*", "v8::*", "uv_*",
  ].map(Glob.init(function:))

  /// File names of headers.
  static let headerFiles = ["*.h", "*.hh", "*.hpp", "*.tcc"].map { Glob($0) }

  /// Functions of headers, besides `functions`.
  static let headerFunctions = ["std::*", "gnu_cxx::*", "os_*"].map(Glob.init(function:))

  /// Functions of the system, for frames without an image.
  static let functions = [
    "start", "libc_start*", "start_main", "start_thread", "clone", "clone3", "thread_start", "pthread_*",
    "start_wqthread", "futex_*", "lll_*", "psynch_*", "ulock_*", "os_unfair_lock*", "mach_msg*",
    "semaphore_*", "objc_*", "swift_*", "dispatch_*", "xpc_*", "CF*", "CA::*", "CG*", "-[NS*", "+[NS*",
    "-[UI*",
    "+[UI*", "-[CA*", "+[CA*", "NS*", "UIApplicationMain", "GSEventRunModal", "raise", "abort", "kill",
    "read",
    "write", "open", "openat", "pread*", "pwrite*", "fsync", "poll", "ppoll", "select", "epoll_*", "recv*",
    "send", "sendto", "sendmsg", "connect", "accept*", "getaddrinfo", "nanosleep", "clock_nanosleep", "sleep",
    "usleep", "malloc*", "free", "calloc", "realloc", "memcpy*", "memmove*", "memset*", "<signal handler*",
    "$ss*", "$sS*", "thunk for *", "reabstraction thunk*", "partial apply*",
  ].map(Glob.init(function:))
}
