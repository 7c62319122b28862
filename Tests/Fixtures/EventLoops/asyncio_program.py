"""asyncio_program.py [healthy]: an asyncio loop with a timer of 20 ms, which another thread wakes every 50 ms. One
coroutine blocks it for 300 ms, unless the program is healthy."""
import asyncio
import sys
import threading
import time

TICKS, BLOCKED_TICK, SIGNALS = 150, 60, 50


def wake_repeatedly(loop):
    for _ in range(SIGNALS):
        loop.call_soon_threadsafe(lambda: None)
        time.sleep(0.05)


async def main(is_healthy):
    waker = threading.Thread(target=wake_repeatedly, args=[asyncio.get_running_loop()])
    waker.start()
    for tick in range(TICKS):
        await asyncio.sleep(0.02)
        if tick == BLOCKED_TICK and not is_healthy:
            time.sleep(0.3)
    await asyncio.to_thread(waker.join)


asyncio.run(main("healthy" in sys.argv))
