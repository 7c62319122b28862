import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

// The planted faults. Each returns a value, so that none of their calls is a tail call.

@inline(never) public func sleepInHandler() -> String {
  Thread.sleep(forTimeInterval: 0.2)
  return "slept"
}

@inline(never) public func computeInHandler(milliseconds: Int) -> String {
  let end = DispatchTime.now() + .milliseconds(milliseconds)
  while DispatchTime.now() < end { continue }
  return "computed"
}

/// Starts a server of HTTP/1.1 whose handlers run on event loops. Port 0 means any.
public func startServer(on group: any EventLoopGroup, port: Int) throws -> any Channel {
  try ServerBootstrap(group: group)
    .serverChannelOption(.backlog, value: 256)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(Handler())
      }
    }
    .bind(host: "127.0.0.1", port: port).wait()
}

private final class Handler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private var path = ""

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): path = head.uri
    case .body: break
    case .end: send(answer(to: path), context)
    }
  }

  private func answer(to path: String) -> String {
    switch path {
    case "/sleep": sleepInHandler()
    case "/compute/80": computeInHandler(milliseconds: 80)
    case "/compute/160": computeInHandler(milliseconds: 160)
    default: "ok"
    }
  }

  private func send(_ text: String, _ context: ChannelHandlerContext) {
    let body = context.channel.allocator.buffer(string: text)
    let headers = HTTPHeaders([("content-length", "\(body.readableBytes)")])
    let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
