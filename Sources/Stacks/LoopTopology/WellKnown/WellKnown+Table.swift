import RunLoopVocabulary

extension WellKnown {
  /// The well-known modes and items. Purposes are those that Apple documents, that stacks and published sources show,
  /// or that the order and the name imply. Everything else is unknown.
  package static let all: [WellKnown] = [
    WellKnown(
      .mode, ModeName.default,
      others: ["NSDefaultRunLoopMode"],
      from: "CoreFoundation", since: "Mac OS X 10.0, iOS 2.0, Linux",
      purpose: "the mode for everything that has no reason to be in another one; a common mode"),
    WellKnown(
      .mode, ModeName.common,
      others: ["NSRunLoopCommonModes"],
      from: "CoreFoundation", since: "Mac OS X 10.0, iOS 2.0, Linux",
      purpose: "a placeholder for all common modes; no loop runs in it"),
    WellKnown(
      .mode, ModeName.tracking, from: "UIKit", since: "iOS 2.0",
      purpose:
        "the main loop runs in it while the user scrolls or drags, so that only items for this time are "
        + "served; a common mode"),
    WellKnown(
      .mode, "GSEventReceiveRunLoopMode", from: "GraphicsServices", since: "iOS 8 or earlier",
      purpose:
        "holds only the event port, which receives events of the system; when the loop runs in it is unknown"),
    WellKnown(
      .mode, "UIInitializationRunLoopMode", from: "UIKit", since: "iOS 8 or earlier",
      purpose: "the first mode of the main loop, during the launch; not used after it"),
    WellKnown(
      .mode, "NSEventTrackingRunLoopMode", from: "AppKit", since: "Mac OS X 10.0",
      purpose: "the main loop runs in it while the user drags, scrolls or has a menu open; a common mode"),
    WellKnown(
      .mode, "NSModalPanelRunLoopMode", from: "AppKit", since: "Mac OS X 10.0",
      purpose: "the main loop runs in it while a modal panel is open; a common mode"),
    WellKnown(
      .mode, "NSConnectionReplyMode", from: "Foundation", since: "Mac OS X 10.0",
      purpose: "a thread runs its loop in it while an NSConnection waits for the reply of another process"),
    WellKnown(
      .source1, "PurpleEventCallback", from: "GraphicsServices", since: "iOS 8 or earlier",
      purpose: "the event port: receives events of the system for the app as Mach messages"),
    WellKnown(
      .source0, "PurpleEventSignalCallback", from: "GraphicsServices", since: "iOS 8 or earlier",
      purpose: "belongs to the event port; which events the process signals with it is unknown"),
    WellKnown(
      .source1, "__IOHIDEventSystemClientQueueCallback", from: "IOKit", since: "iOS 8 or earlier",
      purpose: "receives input of devices (HID), such as touches, buttons and sensors, from another process"),
    WellKnown(
      .source1, "__IOHIDEventSystemClientAvailabilityCallback", from: "IOKit", since: "iOS 8 or earlier",
      purpose: nil),
    WellKnown(
      .source1, "__IOMIGMachPortPortCallback", from: "IOKit", since: "iOS 8 or earlier",
      purpose: "receives calls of other processes for the client of the HID system"),
    WellKnown(
      .source0, "__handleHIDEventFetcherDrain", from: "UIKit", since: "iOS 13 or earlier",
      purpose:
        "takes over the input (HID) that UIKit's fetcher thread received; its order is before that of the "
        + "event queue"),
    WellKnown(
      .source0, "__handleEventQueue",
      others: [
        "_UIApplicationHandleEventQueue", "__eventQueueSourceCallback", "__eventFetcherSourceCallback",
      ],
      from: "UIKit", since: "iOS 8 or earlier",
      purpose:
        "passes queued events, such as touches, to the app's windows; touch handlers and actions of "
        + "controls run in it"),
    WellKnown(
      .source0, "runloopSourceCallback", from: "UIKit", since: nil,
      purpose: "runs UIKit's steps of a frame: events, layout and the commit"),
    WellKnown(
      .source0, "FBSSerialQueueRunLoopSourceHandler", from: "FrontBoardServices", since: "iOS 8 or earlier",
      purpose:
        "runs FrontBoard's work on the main thread: launch, and changes of scenes between foreground and "
        + "background"),
    WellKnown(
      .source0, "__NSThreadPerformPerform", from: "Foundation", since: nil,
      purpose:
        "runs methods that other threads sent with performSelector:onThread: and "
        + "performSelectorOnMainThread:"),
    WellKnown(
      .source0, "__CFSocketPerformV0",
      others: ["CFSocket"],
      from: "CoreFoundation", since: "macOS and Linux; version unknown",
      purpose: "calls the callback of a CFSocket: data, a connection, or room to write"),
    WellKnown(
      .source0, "_cfstream_shared_signalEventSync",
      others: ["_cfstream_solo_signalEventSync"],
      from: "CoreFoundation", since: "macOS and Linux; version unknown",
      purpose: "reports events of a CFReadStream or CFWriteStream to its client"),
    WellKnown(
      .source1, "__CFMessagePortPerform", others: ["CFMessagePort"], from: "CoreFoundation", since: nil,
      purpose: "receives a message of a CFMessagePort"),
    WellKnown(
      .source1, "__NSFireMachPort", from: "Foundation", since: nil,
      purpose: "passes a Mach message to the delegate of an NSMachPort"),
    WellKnown(
      .source1, "MIG Server", from: nil, since: "iOS 8 or earlier",
      purpose:
        "serves calls of other processes to a Mach interface; the description does not name the interface"),
    WellKnown(
      .source1, "_ZL20notify_port_callbackP12__CFMachPortPvlS1_",
      others: ["notify_port_callback"],
      from: nil, since: "iOS 8 or earlier",
      purpose: nil),
    WellKnown(
      .source1, "IODispatchCalloutFromCFMessage", from: "IOKit", since: nil,
      purpose: "receives notifications of drivers; for a CADisplayLink, one for each frame of the display"),
    WellKnown(
      .source1, "_ZL22display_timer_callbackP12__CFMachPortPvlS1_",
      others: ["display_timer_callback"],
      from: "QuartzCore", since: nil,
      purpose: "calls the display links (CADisplayLink) for a frame of the display"),
    WellKnown(
      .observer, "_wrapRunLoopWithAutoreleasePoolHandler",
      others: ["_runLoopObserverWithAutoreleasePool"],
      from: "UIKit", since: "iOS 8 or earlier",
      purpose:
        "an autorelease pool around each pass: the first observer pushes it at Entry; the last one replaces"
        + " it at BeforeWaiting, and pops it at Exit"),
    WellKnown(
      .observer, "_UIGestureRecognizerUpdateObserver", from: "UIKit", since: "iOS 8 or earlier",
      purpose: "updates the gesture recognizers that changed, and calls their actions, before the loop waits"),
    WellKnown(
      .observer, "_beforeCACommitHandler", from: "UIKit", since: "iOS 13 or earlier",
      purpose: "work of UIKit directly before Core Animation commits (order 2000000); which work is unknown"),
    WellKnown(
      .observer, "_ZN2CA11Transaction17observer_callbackEP19__CFRunLoopObservermPv",
      others: ["CA::Transaction::observer_callback"],
      from: "QuartzCore", since: "iOS 8 or earlier",
      purpose:
        "commits the transaction of Core Animation: layout and drawing of changed views, and their transfer"
        + " to the render server"),
    WellKnown(
      .observer, "_afterCACommitHandler", from: "UIKit", since: "iOS 8 or earlier",
      purpose:
        "work of UIKit around the commit of Core Animation, such as blocks that wait for it; other work is "
        + "unknown"),
    WellKnown(
      .timer, "NSTimer", others: ["__NSFireTimer"], from: "Foundation", since: "Mac OS X 10.0, iOS 2.0",
      purpose: "an NSTimer of the program or of a framework; the name is that of its target and method"),
    WellKnown(
      .timer, "Delayed Perform",
      others: ["__NSFireDelayedPerform"],
      from: "Foundation", since: "Mac OS X 10.0, iOS 2.0",
      purpose: "a call of performSelector:withObject:afterDelay:; the name is that of the object and method"),
  ]
}
