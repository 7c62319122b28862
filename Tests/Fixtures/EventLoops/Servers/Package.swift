// swift-tools-version: 6.2
// Servers and a client whose event loops tools/event-loops blocks.
import PackageDescription

let nio: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
]

let package = Package(
  name: "Servers",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.16.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.25.0"),
  ],
  targets: [
    .target(name: "Blocking", dependencies: nio + [.product(name: "NIOHTTP1", package: "swift-nio")]),
    .executableTarget(name: "PlainServer", dependencies: nio + ["Blocking"]),
    .executableTarget(
      name: "HummingbirdServer",
      dependencies: nio + ["Blocking", .product(name: "Hummingbird", package: "hummingbird")]),
    .executableTarget(
      name: "ClientProgram",
      dependencies: nio + ["Blocking", .product(name: "AsyncHTTPClient", package: "async-http-client")]),
  ]
)
