import { batchCalls } from './batch.mjs'
import { attempt, openRecords } from './records.mjs'
import { IN_FLIGHT, load, runRival } from './rival.mjs'

/**
 * Inserts and fetches jobs in batches with several workers, which are notified of new jobs instead of waiting
 * for the next poll. Completes a batch with one statement; fails a job separately. Three retries.
 * https://timgit.github.io/pg-boss/ (insert, work, notifyWorker)
 */
const url = process.env.RIVALS_DATABASE_URL
const WORKERS = 4
const QUEUE = 'deliveries'
const module = load('pg-boss')
const PgBoss = module.default ?? module

runRival(async ({ deliver, recorded }) => {
  const records = await openRecords(url)
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: true })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE, { name: QUEUE, retryLimit: 3, retryDelay: 30, policy: 'standard' })
  const workers = []
  const wake = () => workers.forEach(id => boss.notifyWorker(id))
  const handle = async jobs => {
    const outcomes = await Promise.all(
      jobs.map(async ({ id, data }) => {
        try {
          await records.record(await attempt(deliver, data))
          return undefined
        } catch {
          return id
        }
      }),
    )
    const failed = outcomes.filter(id => id !== undefined)
    if (failed.length > 0) await boss.fail(QUEUE, failed)
    recorded(jobs.length - failed.length)
    wake()
  }
  for (let i = 0; i < WORKERS; i++) {
    workers.push(await boss.work(QUEUE, { batchSize: IN_FLIGHT / WORKERS, pollingIntervalSeconds: 0.5 }, handle))
  }
  const add = batchCalls(async jobs => {
    await boss.insert(jobs.map(data => ({ name: QUEUE, data, retryLimit: 3, retryDelay: 30 })))
    wake()
  })
  return {
    add,
    close: async () => {
      await boss.stop({ graceful: false })
      await records.close()
    },
  }
})
