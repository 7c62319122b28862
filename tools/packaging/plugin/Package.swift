// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "UsesRltrace",
  targets: [
    .binaryTarget(name: "rltrace", path: "rltrace.artifactbundle.zip"),
    .plugin(
      name: "RunRltrace", capability: .command(intent: .custom(verb: "run-rltrace", description: "runs rltrace")),
      dependencies: ["rltrace"]),
  ])
