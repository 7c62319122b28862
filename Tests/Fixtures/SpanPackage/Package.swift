// swift-tools-version: 6.2
// A program with spans of swift-distributed-tracing, and tests of the tracer. SpanPackageTests runs both.
import PackageDescription

let package = Package(
  name: "SpanPackage",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "rltrace", path: "../../..", traits: ["Spans"]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    .executableTarget(
      name: "Feed",
      dependencies: [
        .product(name: "RunLoopSpans", package: "rltrace"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "SpanTests",
      dependencies: [
        .product(name: "RunLoopSpans", package: "rltrace"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]),
  ]
)
