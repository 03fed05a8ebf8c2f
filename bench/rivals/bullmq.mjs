import { attempt } from './records.mjs'
import { batchCalls } from './batch.mjs'
import { IN_FLIGHT, load, runRival } from './rival.mjs'

/**
 * Adds jobs with `addBulk`; one worker runs up to IN_FLIGHT jobs at a time. The return value of a job is its record,
 * kept with the latest completed ones. Three retries. https://docs.bullmq.io
 */
const { Queue, Worker } = load('bullmq')
const connection = { host: '127.0.0.1', port: Number(process.env.RIVALS_REDIS_PORT), maxRetriesPerRequest: null }

runRival(async ({ deliver, recorded }) => {
  const queue = new Queue('deliveries', {
    connection,
    defaultJobOptions: {
      attempts: 4,
      backoff: { type: 'exponential', delay: 30_000 },
      removeOnComplete: { count: 500 },
    },
  })
  const worker = new Worker('deliveries', ({ data }) => attempt(deliver, data), { connection, concurrency: IN_FLIGHT })
  worker.on('completed', () => recorded())
  worker.on('error', () => {})
  await worker.waitUntilReady()
  const add = batchCalls(jobs => queue.addBulk(jobs.map(data => ({ name: 'deliver', data }))))
  return {
    add,
    close: async () => {
      await worker.close(true)
      await queue.close()
    },
  }
})
