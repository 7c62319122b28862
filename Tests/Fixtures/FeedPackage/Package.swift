// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Feed",
  targets: [.target(name: "Feed"), .testTarget(name: "FeedTests", dependencies: ["Feed"])],
  swiftLanguageModes: [.v5])
