import pg from 'pg'
import { batchCalls } from './batch.mjs'
import { attempt, openRecords } from './records.mjs'
import { IN_FLIGHT, load, runRival } from './rival.mjs'

/**
 * Tuned as its page on performance recommends: a local queue, completions in batches without delay, `add_jobs`. Three
 * retries, like the gateway. https://worker.graphile.org/docs/performance
 */
const url = process.env.RIVALS_DATABASE_URL
const { run, runMigrations } = load('graphile-worker')
const { Logger } = load('@graphile/logger')

runRival(async ({ deliver, recorded }) => {
  const logger = new Logger(() => () => {})
  await runMigrations({ connectionString: url, logger })
  const records = await openRecords(url)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const runner = await run({
    preset: {
      worker: {
        connectionString: url,
        concurrentJobs: IN_FLIGHT,
        maxPoolSize: 10,
        pollInterval: 500,
        localQueue: { size: IN_FLIGHT, refetchDelay: { durationMs: 10 } },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    logger,
    noHandleSignals: true,
    taskList: {
      deliver: async job => await records.record(await attempt(deliver, job)),
    },
  })
  runner.events.on('job:complete', () => recorded())
  const add = batchCalls(async jobs => {
    await pool.query({
      name: 'add',
      text: `select 1 from graphile_worker.add_jobs(array(
        select json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`,
      values: [JSON.stringify(jobs.map(payload => ({ identifier: 'deliver', payload, max_attempts: 4 })))],
    })
  })
  return {
    add,
    close: async () => {
      await runner.stop()
      await pool.end()
      await records.close()
    },
  }
})
