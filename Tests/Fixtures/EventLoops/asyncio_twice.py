"""Two loops of asyncio, one after the other. In between, the thread computes for 400 ms, which blocks neither loop."""
import asyncio
import time


async def main():
    for _ in range(40):
        await asyncio.sleep(0.01)


asyncio.run(main())
end = time.monotonic() + 0.4
while time.monotonic() < end:
    pass
asyncio.run(main())
