import { FILLED } from './rows.mjs'

/** How the two engines generate rows from a series of numbers. */
const DIALECTS = {
  postgres: {
    series: n => `generate_series(0, ${n - 1}) as g(i)`,
    pad: (expression, width) => `lpad((${expression})::text, ${width}, '0')`,
    bytes: n => `decode(repeat('ab', ${n}), 'hex')`,
    hash: expression => `decode(md5((${expression})::text), 'hex')`,
  },
  sqlite: {
    series: n =>
      `(with recursive g(i) as (select 0 union all select i + 1 from g where i < ${n - 1}) select i from g) as g`,
    pad: (expression, width) => `printf('%0${width}d', ${expression})`,
    bytes: n => `randomblob(${n})`,
    hash: expression => `cast(printf('%016d', ${expression}) as blob)`,
  },
}

/**
 * Fills a database with `rows` rows that each query may have to skip: of one account, one number and one
 * webhook. `run` runs a statement on it.
 */
export async function fill({ dialect, run, rows, log = () => {} }) {
  const sql = DIALECTS[dialect]
  for (const { table, count, columns } of FILLED(rows, sql)) {
    const names = Object.keys(columns)
    const values = names.map(name => `${columns[name]} as ${name}`).join(', ')
    const beganMs = performance.now()
    await run(`insert into ${table} (${names.join(', ')}) select ${values} from ${sql.series(count)}`)
    log(`${table}: ${count} rows in ${Math.round(performance.now() - beganMs)} ms`)
  }
}
