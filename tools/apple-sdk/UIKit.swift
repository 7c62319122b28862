// Stub of UIKit: the life cycle of an app, with the signatures of Apple's SDK for iOS 15.
@_exported import Foundation

@MainActor open class UIResponder: NSObject {
  override public init() {}
}
@MainActor open class UIApplication: UIResponder {}

// Apple's requirements are optional. Here they are not, so that a delegate with a wrong signature is an error.
@MainActor public protocol UIApplicationDelegate: AnyObject {
  init()
  func applicationDidBecomeActive(_ application: UIApplication)
  func applicationDidEnterBackground(_ application: UIApplication)
}
extension UIApplicationDelegate { public static func main() {} }
