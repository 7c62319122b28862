import Foundation
import PackagePlugin

/// Runs rltrace with the arguments of the command.
@main struct RunRltrace: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "rltrace").url
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { Diagnostics.error("rltrace ends with status \(process.terminationStatus)") }
  }
}
