/// What does not belong to an app, by names that everybody's system has.
enum SystemImages {
  /// Folders whose libraries came with the system or the toolchain.
  static let folders = [
    "/System/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/libexec/", "/Library/Apple/",
    "/usr/share/swift/", "/Library/Developer/Toolchains/",
  ]

  /// Names of files, as globs; of Linux, then of Apple's systems.
  static let names = (linux + apple).map { Glob($0) }

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

  private static let apple = [
    "com.apple.*", "kernel", "kernel.*", "dyld*", "libdyld*", "libsystem_*", "libSystem*", "libobjc*",
    "libxpc*", "libc++*.dylib", "libicucore*", "libsqlite3.dylib", "libboringssl*", "libnetwork*",
    "libcommonCrypto*", "libcorecrypto*", "libcache*", "libcopyfile*", "libsandbox*", "libz.*dylib",
    "libcompression*", "libMobileGestalt*", "libAccessibility*", "libGPUSupport*", "libMainThreadChecker*",
    "libBacktraceRecording*", "libViewDebuggerSupport*", "libRPAC*", "libRosetta*", "Foundation",
    "CoreFoundation", "CFNetwork", "UIKit", "UIKitCore", "UIFoundation", "UIKitServices", "AppKit", "SwiftUI",
    "SwiftUICore", "AttributeGraph", "RenderBox", "QuartzCore", "CoreGraphics", "CoreText", "CoreImage",
    "CoreUI", "CoreAutoLayout", "CoreSVG", "CoreData", "SwiftData", "CoreLocation", "CoreMotion",
    "CoreBluetooth", "CoreMedia", "CoreAudio*", "CoreVideo", "CoreServices*", "CoreTelephony",
    "CoreSpotlight",
    "CoreML", "CoreHaptics", "CoreNFC", "CoreWLAN", "CoreDuet*", "CoreAnalytics", "CoreSymbolication",
    "CoreTransferable", "LocationSupport", "GeoServices", "MapKit", "VectorKit", "Security",
    "SystemConfiguration", "Network", "GraphicsServices", "BackBoardServices", "FrontBoardServices",
    "RunningBoardServices", "BoardServices", "HIToolbox", "HIServices", "SkyLight", "LaunchServices",
    "CarbonCore", "Metal", "MetalKit", "MetalPerformanceShaders*", "MPS*", "AGX*", "IOKit", "IOSurface",
    "IOAccelerator", "ImageIO", "AVFoundation", "AVFAudio", "AVFCore", "AudioToolbox*", "MediaToolbox",
    "VideoToolbox", "WebKit", "WebCore", "JavaScriptCore", "Contacts*", "EventKit*", "Photos*",
    "PhotoLibraryServices", "CloudKit", "StoreKit", "UserNotifications", "TextInput*", "Combine",
    "Observation",
    "XCTest*", "XCTAutomationSupport", "Accessibility*", "AXRuntime", "DataDetectorsCore",
    "AppleFSCompression", "MobileCoreServices",
  ]

  /// Where sources of a system's own libraries lay when they were built: debuggers show it.
  static let sources = [
    "../sysdeps/", "../csu/", "./csu/", "./nptl/", "./io/", "./socket/", "./stdlib/", "./misc/", "./time/",
    "./posix/", "./elf/", "./malloc/", "./libio/", "./resolv/", "./inet/", "./nss/", "./signal/", "./string/",
    "//<compiler-generated>", "<compiler-generated>", "/<compiler-generated>",
  ]

  /// Headers whose functions are compiled into programs.
  static let headers = ["*/usr/include/*", "*/include/c++/*"].map { Glob($0) }

  /// Functions of the system, for frames that do not say their image.
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
