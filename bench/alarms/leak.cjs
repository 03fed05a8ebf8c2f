'use strict'
const { getHeapStatistics } = require('node:v8')
const { isMainThread } = require('node:worker_threads')

/**
 * After SIGUSR2 the process leaks memory until its heap (LEAK=heap) or the memory limit of its container
 * (LEAK=memory) is nearly full.
 */
const MB = 1024 * 1024
const LEAKS = {
  heap: {
    full: 0.89,
    share: () => getHeapStatistics().used_heap_size / getHeapStatistics().heap_size_limit,
    more: () => Array.from({ length: 10_000 }, (_, n) => ({ n })),
  },
  memory: {
    full: 0.93,
    share: () => process.memoryUsage.rss() / process.constrainedMemory(),
    more: () => Buffer.alloc(MB, 1),
  },
}

const leak = LEAKS[process.env.LEAK]
const kept = []
if (isMainThread) {
  process.once('SIGUSR2', () => {
    setInterval(() => leak.share() < leak.full && kept.push(leak.more()), 10).unref()
  })
}
