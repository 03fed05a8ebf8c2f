import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** The fields after the program's name in /proc: state, parent, … */
function fieldsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Processor seconds of a PostgreSQL server with all its connections, found through one of them. Linux only. */
export async function serverCpu(client) {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const server = fieldsOf(rows[0].pid)[1]
  let ticks = sum(fieldsOf(server).slice(11, 15))
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const fields = fieldsOf(pid)
      if (fields[1] === server) ticks += sum(fields.slice(11, 13))
    } catch {
      // The process has ended, and its parent's total includes it.
    }
  }
  return ticks / TICKS_PER_SECOND
}

const sum = values => values.reduce((total, value) => total + Number(value), 0)
