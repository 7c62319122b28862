// swift-tools-version: 6.2
import PackageDescription

// The command plugin is a package of its own, so that a package that uses it does not build rltrace. The program comes
// from the artifact bundle of tools/package, which has to be unpacked in this folder.
let package = Package(
  name: "rltrace-plugin",
  products: [.plugin(name: "RLTrace", targets: ["RLTrace"])],
  targets: [
    .binaryTarget(name: "rltrace", path: "rltrace.artifactbundle"),
    .plugin(
      name: "RLTrace",
      capability: .command(
        intent: .custom(
          verb: "rltrace", description: "Records a product, or checks its recording against rules."),
        permissions: [.writeToPackageDirectory(reason: "Traces and reports are written to rltrace-out.")]),
      dependencies: ["rltrace"]),
  ])
