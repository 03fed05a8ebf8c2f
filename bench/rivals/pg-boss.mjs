import { gather } from './gather.mjs'
import { attempt, openRecords } from './records.mjs'
import { IN_FLIGHT, load, runRival } from './rival.mjs'

/**
 * Jobs are inserted and fetched in batches, several workers take turns, and each is told of new jobs instead of waiting
 * for its next poll. A batch is completed at once; one that fails is failed by itself. Three retries.
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
  const add = gather(async jobs => {
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
