// PlainServer PORT: a server with two event loops. /sleep blocks one of them for 200 ms, /compute/80 and /compute/160 for
// so many milliseconds.
import Blocking
import NIOCore
import NIOPosix

let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
let server = try startServer(on: group, port: Int(CommandLine.arguments[1]) ?? 0)
try server.closeFuture.wait()
