// node.js [healthy]: a timer of 20 ms, and a worker that sends a message every 50 ms. One callback computes for 150 ms,
// unless the program is healthy.
const { Worker } = require('node:worker_threads');

const ticksOfAll = 150, blockedTick = 60;
const isHealthy = process.argv.includes('healthy');
const waker = new Worker("setInterval(() => require('node:worker_threads').parentPort.postMessage(0), 50)", { eval: true });
let ticks = 0;

// The planted fault.
function computeInCallback() {
  const end = Date.now() + 150;
  while (Date.now() < end);
}

waker.on('message', () => {});
const timer = setInterval(() => {
  ticks += 1;
  if (ticks === blockedTick && !isHealthy) computeInCallback();
  if (ticks < ticksOfAll) return;
  clearInterval(timer);
  waker.terminate();
}, 20);
