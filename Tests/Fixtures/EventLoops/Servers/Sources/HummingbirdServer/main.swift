// HummingbirdServer PORT [fixed]: a server whose handlers run in tasks. /sleep blocks a thread of the tasks for 200 ms,
// /compute computes on one for 80 ms, and /loop/sleep blocks one of the two event loops for 200 ms. With `fixed`,
// /sleep suspends its task instead, and /compute computes on a queue.
import Blocking
import Dispatch
import Hummingbird
import NIOCore
import NIOPosix

let port = Int(CommandLine.arguments[1]) ?? 0
let isFixed = CommandLine.arguments.dropFirst(2).first == "fixed"
let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
let heavyWork = DispatchQueue(label: "heavy work")
let router = Router()
router.get("/fast") { _, _ in "ok" }
router.get("/sleep") { _, _ in
  guard isFixed else { return sleepInHandler() }
  try await Task.sleep(for: .milliseconds(200))
  return "slept"
}
router.get("/compute") { _, _ in
  guard isFixed else { return computeInHandler(milliseconds: 80) }
  return await withCheckedContinuation { request in
    heavyWork.async { request.resume(returning: computeInHandler(milliseconds: 80)) }
  }
}
router.get("/loop/sleep") { [group] _, _ in try await group.any().submit { sleepInHandler() }.get() }
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
  eventLoopGroupProvider: .shared(group))
try await application.runService()
