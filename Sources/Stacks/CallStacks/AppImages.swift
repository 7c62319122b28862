/// Determines which images belong to an app: those that the user named, else a guess.
package struct AppImages: Sendable {
  /// The owner of a frame.
  package enum Belonging: Sendable { case own, system, unknown }

  private let named: [Glob]
  private let main: String?

  /// `named`: file names, in which `*` matches any text. Without names the images are guessed:
  ///
  /// - The program's `main` image, and every image with a path outside the system's folders, is the app's.
  /// - Without a path, an image with the name of a system library is the system's. The owner of any other image is
  ///   not known. If the main image is not known either, such an image is the app's.
  package init(named: [String] = [], main: String? = nil) {
    self.named = named.map { Glob($0) }
    self.main = main
  }

  /// Whether an image counts as the app's only because of its name.
  package var isGuess: Bool { named.isEmpty && main == nil }

  /// Returns whether a file name is that of a system library.
  package static func isSystem(_ image: String) -> Bool { SystemImages.isSystem(image) }

  /// Returns whether an image starts programs. Its frame is the outermost one of a main thread.
  package static func isLoader(_ image: String?) -> Bool {
    guard let image else { return false }
    return image == "dyld" || image.hasPrefix("libdyld") || image.hasPrefix("dyld_")
  }

  func belonging(of compared: ComparedFrame) -> Belonging {
    let frame = compared.frame
    // Compiled into the app's image, but not part of the app.
    if let file = frame.file, SystemImages.compiledIn.anyMatches(file) { return .system }
    if let function = compared.function, SystemImages.compiledInFunctions.anyMatches(function) {
      return .system
    }
    if isInlinedFromHeader(compared) { return .system }
    if !named.isEmpty {
      guard let image = frame.image else { return .unknown }
      return named.anyMatches(image) ? .own : .system
    }
    if frame.isMarkedSystem { return .system }
    if frame.isMarkedOwn { return .own }
    if let file = frame.file, SystemImages.sources.contains(where: file.hasPrefix) { return .system }
    if let image = frame.image { return belonging(of: image, frame.imagePath, hasLine: frame.line != nil) }
    // The report identifies the image but does not name it.
    if frame.imageID != nil { return .unknown }
    guard let function = compared.function else { return .unknown }
    if let symbol = compared.symbol, SystemImages.functions.anyMatches(symbol) { return .system }
    return SystemImages.functions.anyMatches(function) ? .system : .own
  }

  /// Returns whether a frame is a function of a system header that was compiled into its caller. Debuggers often show
  /// only the name of the header, so the name of the function decides.
  private func isInlinedFromHeader(_ compared: ComparedFrame) -> Bool {
    guard compared.frame.isInlined, let file = compared.frame.file, SystemImages.headerFiles.anyMatches(file),
      let function = compared.function
    else { return false }
    return SystemImages.functions.anyMatches(function) || SystemImages.headerFunctions.anyMatches(function)
  }

  /// Returns the owner of an image. `hasLine`: the source line is known, which is never the case for Apple's
  /// libraries.
  private func belonging(of image: String, _ path: String?, hasLine: Bool) -> Belonging {
    if image == main { return .own }
    guard let path else {
      if SystemImages.isSystem(image) { return .system }
      return main == nil || hasLine ? .own : .unknown
    }
    if SystemImages.folders.contains(where: path.hasPrefix)
      || SystemImages.roots.contains(where: path.contains)
    {
      return .system
    }
    // An app may give its framework any name.
    let isBundled = [".app/", ".appex/", ".xctest/"].contains(where: path.contains)
    let isSystem = isBundled ? SystemImages.bundled.anyMatches(image) : SystemImages.isSystem(image)
    return isSystem ? .system : .own
  }
}

/// Functions that only pass control on: they run a loop, call a callout, or forward a call.
enum PlainFrames {
  /// Functions that run a loop. Their callers did not hold the thread.
  private static let loops = [
    "CFRunLoopRun", "CFRunLoopRunSpecific*", "CFRunLoopRunInMode", "-[NSRunLoop(NSRunLoop) run*",
    "-[NSRunLoop run*", "RunLoop.run*", "UIApplicationMain", "NSApplicationMain", "GSEventRunModal",
    "-[UIApplication _run]", "-[NSApplication run]", "g_main_loop_run", "g_main_context_iteration",
    "g_application_run", "gtk_main", "uv_run", "dispatch_main", "QEventLoop::exec*",
    "QCoreApplication::exec*",
  ].map(Glob.init(function:))

  /// Functions that call a callout, including the recorder's own.
  private static let callers = [
    "CFRUNLOOP_IS_*", "CFRunLoopDo*", "NSFireTimer*", "timer_callout*", "source_callout*",
    "rlp_socket_callout*", "dispatch_client_callout*", "dispatch_call_block_and_release*",
  ].map(Glob.init(function:))

  /// Functions that the compiler inserts into a program's own image.
  private static let thunks = [
    "thunk for *", "reabstraction thunk*", "partial apply for thunk*", "@objc *", "protocol witness for *",
    "<signal handler called>",
  ].map(Glob.init(function:))

  /// Functions of interpreters, such as V8's, that run the code of other functions. Their own sources are not known.
  private static let interpreters = ["Builtins_*"].map(Glob.init(function:))

  /// Returns whether a frame runs code that was made at run time, so that no symbol names the function.
  static func isRunTimeCode(_ frame: ComparedFrame) -> Bool {
    if frame.frame.isRunTimeCode { return true }
    return frame.frame.file == nil && frame.function.map(interpreters.anyMatches) ?? false
  }

  static func runsLoop(_ frame: ComparedFrame) -> Bool { frame.function.map(loops.anyMatches) ?? false }
  static func startsCallout(_ frame: ComparedFrame) -> Bool {
    frame.function.map { loops.anyMatches($0) || callers.anyMatches($0) } ?? false
  }
  static func isThunk(_ frame: ComparedFrame) -> Bool { frame.function.map(thunks.anyMatches) ?? false }
}
