import CoreFoundation
import Foundation

/// The items of a run loop, as the program adds them and as CoreFoundation describes them.
extension LoopPrograms {
  /// Adds items to three modes and prints each one: `KIND NAME=VALUE… MODES`. Then prints the loop's description, a
  /// blank line, and the description again after adding one more timer. With `inside`, a timer's callout prints the
  /// first description. With `stalled`, a timer's callout does everything after the blank line, and then
  /// stalls. Finally an empty mode runs.
  static func inventory(_ arguments: [String]) {
    let loop = CFRunLoopGetMain()!
    let tracking = mode("UITrackingRunLoopMode")
    let own = mode("a mode, with \"quotes\" and {braces}")
    CFRunLoopAddCommonMode(loop, tracking)
    print("set-up common-mode UITrackingRunLoopMode")

    for (order, modes) in [(-1, [kCFRunLoopCommonModes!]), (7, [kCFRunLoopDefaultMode!]), (7, [own])] {
      var context = CFRunLoopSourceContext()
      context.perform = { _ in }
      let source = CFRunLoopSourceCreate(nil, order, &context)!
      for mode in modes { CFRunLoopAddSource(loop, source, mode) }
      if order == 7 { CFRunLoopSourceSignal(source) }
      print("set-up source0 order=\(order) signalled=\(order == 7) \(names(modes))")
    }
    var kept: CFRunLoopObserver?
    for (order, activities, repeats, modes) in [
      (1_999_000, 0xA0, true, [kCFRunLoopCommonModes!]), (-5, 0xFFF_FFFF, true, [own]),
      (0, 0x1, false, [kCFRunLoopDefaultMode!, own]),
    ] {
      let observer = CFRunLoopObserverCreate(nil, UInt(activities), repeats, order, { _, _, _ in }, nil)!
      for mode in modes { CFRunLoopAddObserver(loop, observer, mode) }
      if CFEqual(modes[0], kCFRunLoopCommonModes) { kept = observer }
      print(
        "set-up observer order=\(order) activities=0x\(String(activities, radix: 16)) repeats=\(repeats) "
          + names(modes))
    }
    for (interval, delay, modes) in [
      (0.25, 60.0, [kCFRunLoopCommonModes!]), (0, 3600, [kCFRunLoopDefaultMode!]),
      (1.5, 120, [tracking, own]),
    ] {
      addTimer(interval, delay, modes)
    }
    if arguments.first == "stalled" {
      let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0, 0, 0) { _ in
        addTimer(0.5, 60, [kCFRunLoopCommonModes!])
        CFRunLoopRemoveObserver(loop, kept, kCFRunLoopCommonModes)
        printDescription()
        usleep(900_000)
      }!
      CFRunLoopAddTimer(loop, timer, own)
      printDescription()
      print("")
      CFRunLoopRunInMode(own, 1, false)
      CFRunLoopRunInMode(mode("a mode of nothing"), 10, false)
      return
    }
    if arguments.first == "inside" {
      let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0, 0, 0) { _ in printDescription() }!
      CFRunLoopAddTimer(loop, timer, own)
      CFRunLoopRunInMode(own, 1, true)
    } else {
      printDescription()
    }
    print("")
    addTimer(0.5, 60, [kCFRunLoopCommonModes!])
    printDescription()
  }

  /// Randomly adds items to modes and removes them, then prints the loop's description and runs the loop.
  static func shuffled(_ arguments: [String]) {
    var state = UInt64(arguments.first ?? "") ?? 1
    func chance(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let loop = CFRunLoopGetMain()!
    let modes = [
      kCFRunLoopDefaultMode!, kCFRunLoopCommonModes!, mode("second"), mode("third"), mode("fourth"),
    ]
    func timer() -> CFRunLoopTimer {
      CFRunLoopTimerCreate(nil, CFAbsoluteTimeGetCurrent() + 100, 7, 0, 0, { _, _ in }, nil)!
    }
    var timers = (0..<3).map { _ in timer() }
    let observers = (0..<3).map { CFRunLoopObserverCreate(nil, 0x20, true, $0, { _, _, _ in }, nil)! }
    var context = CFRunLoopSourceContext()
    context.perform = { _ in }
    let sources = (0..<3).map { CFRunLoopSourceCreate(nil, $0, &context)! }
    for _ in 0..<150 {
      let (item, mode) = (chance(3), modes[chance(modes.count)])
      switch chance(20) {
      case 0..<4: CFRunLoopAddTimer(loop, timers[item], mode)
      case 4..<8: CFRunLoopAddObserver(loop, observers[item], mode)
      case 8..<12: CFRunLoopAddSource(loop, sources[item], mode)
      case 12..<14: CFRunLoopRemoveTimer(loop, timers[item], mode)
      case 14..<16: CFRunLoopRemoveObserver(loop, observers[item], mode)
      case 16..<18: CFRunLoopRemoveSource(loop, sources[item], mode)
      case 18:
        CFRunLoopTimerInvalidate(timers[item])
        timers[item] = timer()
      default: if chance(4) == 0 { CFRunLoopAddCommonMode(loop, modes[2 + chance(3)]) }
      }
    }
    printDescription()
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
  }

  private static func addTimer(_ interval: Double, _ delay: Double, _ modes: [CFString]) {
    let timer = CFRunLoopTimerCreate(
      nil, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, { _, _ in }, nil)!
    for mode in modes { CFRunLoopAddTimer(CFRunLoopGetMain(), timer, mode) }
    print("set-up timer interval=\(interval) delay=\(delay) \(names(modes))")
  }

  static func mode(_ name: String) -> CFString {
    CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue)
  }

  /// Returns the modes' names, separated by `|`. The common modes become their two modes and `(common)`.
  private static func names(_ modes: [CFString]) -> String {
    "modes="
      + modes.flatMap {
        CFEqual($0, kCFRunLoopCommonModes)
          ? ["UITrackingRunLoopMode", "kCFRunLoopDefaultMode", "(common)"] : [text($0)]
      }.joined(separator: "|")
  }

  static func printDescription() { print(text(CFCopyDescription(CFRunLoopGetMain()))) }

  private static func text(_ string: CFString) -> String {
    let encoding = CFStringBuiltInEncodings.UTF8.rawValue
    let size = CFStringGetMaximumSizeForEncoding(CFStringGetLength(string), encoding) + 1
    var bytes = [CChar](repeating: 0, count: size)
    CFStringGetCString(string, &bytes, size, encoding)
    return String(cString: bytes)
  }
}
