'use strict'
const { isMainThread } = require('node:worker_threads')

/** Keeps every thread except the main one busy nearly all the time. */
const [WORK_MS, REST_MS] = [190, 5]
if (!isMainThread) {
  const work = () => {
    for (const until = performance.now() + WORK_MS; performance.now() < until; );
    setTimeout(work, REST_MS).unref()
  }
  setTimeout(work, REST_MS).unref()
}
