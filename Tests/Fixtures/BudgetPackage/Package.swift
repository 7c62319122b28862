// swift-tools-version: 6.2
// Tests with budgets. BudgetPackageTests runs them and knows which ones fail.
import PackageDescription

let package = Package(
  name: "BudgetPackage",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "rltrace", path: "../../..", traits: ["Budgets"])],
  targets: [
    .target(name: "Work", path: "Sources/Work"),
    .testTarget(
      name: "LoopTestingTests", dependencies: ["Work", .product(name: "RunLoopBudgets", package: "rltrace")]),
    .testTarget(
      name: "LoopXCTests", dependencies: ["Work", .product(name: "RunLoopBudgets", package: "rltrace")]),
  ]
)
