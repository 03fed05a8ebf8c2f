import pg from 'pg'
import { batchCalls } from './batch.mjs'

/** A table of results for rivals that do not store the endpoint's response; writes many in one statement. */
export async function openRecords(url) {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  await pool.query(
    'create table if not exists results (id text primary key, endpoint int, status int, ms int, at timestamptz default now())',
  )
  const record = batchCalls(async results => {
    await pool.query({
      name: 'record',
      text: `insert into results (id, endpoint, status, ms)
        select * from unnest($1::text[], $2::int[], $3::int[], $4::int[]) on conflict (id) do nothing`,
      values: ['id', 'endpoint', 'status', 'ms'].map(column => results.map(result => result[column])),
    })
  })
  return { record, close: () => pool.end() }
}

/** Makes the delivery and returns its record. */
export async function attempt(deliver, job) {
  const began = performance.now()
  const status = await deliver(job)
  return { id: job.id, endpoint: job.endpoint, status, ms: Math.round(performance.now() - began) }
}
