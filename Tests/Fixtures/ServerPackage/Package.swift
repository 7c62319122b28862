// swift-tools-version: 6.1
// A server without a run loop. ServerPackageTests records it.
import PackageDescription

let package = Package(
  name: "ServerPackage",
  platforms: [.macOS(.v14)],
  dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.80.0")],
  targets: [
    .executableTarget(
      name: "Server",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ])
  ]
)
