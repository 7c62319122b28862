// HummingbirdServer PORT: a server whose handlers run in tasks. /sleep blocks a thread of the tasks for 200 ms, and
// /loop/sleep one of the two event loops.
import Blocking
import Hummingbird
import NIOCore
import NIOPosix

let port = Int(CommandLine.arguments[1]) ?? 0
let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
let router = Router()
router.get("/fast") { _, _ in "ok" }
router.get("/sleep") { _, _ in sleepInHandler() }
router.get("/loop/sleep") { [group] _, _ in try await group.any().submit { sleepInHandler() }.get() }
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
  eventLoopGroupProvider: .shared(group))
try await application.runService()
