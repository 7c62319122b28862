import Foundation
import PackagePlugin

/// `swift package rltrace record --target NAME` and `swift package rltrace gate --target NAME`.
@main struct RLTracePlugin: CommandPlugin {
  private static let usage = """
    usage: swift package --allow-writing-to-package-directory rltrace record --target NAME \
    [--configuration debug|release] [OPTIONS OF rltrace record] [-- ARGUMENTS OF NAME]
           swift package --allow-writing-to-package-directory rltrace gate --target NAME [OPTIONS OF rltrace gate]
    """

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let own = arguments.prefix { $0 != "--" }
    var options = ArgumentExtractor(Array(own.dropFirst()))
    let targets = options.extractOption(named: "target")
    guard let command = own.first, let target = targets.first, targets.count == 1 else {
      throw Problem(Self.usage)
    }
    let run = Run(context: context, packageManager: packageManager, target: target)
    switch command {
    case "record":
      let configuration = options.extractOption(named: "configuration").last ?? "release"
      try run.record(
        configuration, options: options.remainingArguments,
        arguments: Array(arguments.dropFirst(own.count + 1)))
    case "gate": try run.gate(options: options.remainingArguments)
    default: throw Problem(Self.usage)
    }
  }
}

/// A message for the user, after which `swift package` ends with a status other than 0.
private struct Problem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A command for one executable product.
private struct Run {
  let context: PluginContext
  let packageManager: PackageManager
  let target: String

  private var folder: URL { context.package.directoryURL.appendingPathComponent("rltrace-out") }
  private var trace: URL { folder.appendingPathComponent("\(target).rltrace") }
  private var report: URL { folder.appendingPathComponent("\(target).html") }

  /// Builds the product with debug information, records it to its end, and makes a report.
  func record(_ configuration: String, options: [String], arguments: [String]) throws {
    let program = try build(configuration)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let earlier = modified()
    let status = try rltrace(["record", "-o", trace.path] + options + ["--", program.path] + arguments)
    // A program that failed may have left a trace that shows why.
    guard let now = modified(), now != earlier else {
      throw Problem("the recording left no \(trace.path); rltrace record ended with status \(status)")
    }
    if try rltrace(["report", trace.path, "-o", report.path]) == 0 { print("report: \(report.path)") }
    guard status == 0 else { throw Problem("rltrace record ended with status \(status)") }
  }

  /// Checks the last recording of the product against rules.
  func gate(options: [String]) throws {
    let status = try rltrace(["gate", trace.path] + options)
    guard status == 0 else { throw Problem("rltrace gate ended with status \(status)") }
  }

  /// Returns the program.
  private func build(_ configuration: String) throws -> URL {
    guard let configuration = PackageManager.BuildConfiguration(rawValue: configuration) else {
      throw Problem("--configuration is debug or release")
    }
    var parameters = PackageManager.BuildParameters(configuration: configuration, echoLogs: true)
    // With debug information, functions have files and lines.
    parameters.otherSwiftcFlags = ["-g"]
    parameters.otherCFlags = ["-g"]
    parameters.otherCxxFlags = ["-g"]
    let result = try packageManager.build(.product(target), parameters: parameters)
    guard result.succeeded else { throw Problem("\(target) does not build; the reason is above") }
    let programs = result.builtArtifacts.filter { $0.kind == .executable }
    guard let program = programs.first(where: { $0.url.lastPathComponent == target }) else {
      throw Problem("\(target) is not an executable product of this package")
    }
    return program.url
  }

  /// The time of the last change of the trace; nil if there is none.
  private func modified() -> Date? {
    (try? FileManager.default.attributesOfItem(atPath: trace.path))?[.modificationDate] as? Date
  }

  /// Runs rltrace in the folder of the package, and returns its status.
  private func rltrace(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = try context.tool(named: "rltrace").url
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
