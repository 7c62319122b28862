import Foundation
import NIOCore
import NIOPosix

/// Sends each request back after the main actor has handled it.
final class Handler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    let request = unwrapInboundIn(data)
    let loop = context.eventLoop
    Task { @MainActor in
      Server.handle()
      loop.execute { bound.value.writeAndFlush(self.wrapOutboundOut(request), promise: nil) }
    }
  }
}

/// Prints its port, serves one connection, and ends with it. Every fifth request blocks the main queue for 300 ms.
@main @MainActor struct Server {
  private static var requests = 0

  static func handle() {
    requests += 1
    if requests.isMultiple(of: 5) { usleep(300_000) }
  }

  static func main() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let ended = group.next().makePromise(of: Void.self)
    let server = try await ServerBootstrap(group: group).childChannelInitializer { channel in
      channel.closeFuture.cascade(to: ended)
      return channel.pipeline.addHandler(Handler())
    }.bind(host: "127.0.0.1", port: 0).get()
    print(server.localAddress?.port ?? 0)
    fflush(nil)
    try await ended.futureResult.get()
    try await server.close()
    try await group.shutdownGracefully()
  }
}
