import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '@postern/simulator/media/x509'
import { quantile, startChild } from '../shared/child.mjs'

const ROUNDS = 12
const WORKS = {
  publish: 'made and committed',
  http: 'delivered over http',
  https: 'delivered over https',
  dead: 'failed four times',
  small: 'one of 1 KB delivered, to compare,',
}

/** Measures how long a 5.3 MB event blocks the event loops of the thread that creates it and the one that delivers it. */
export async function measureLarge(databaseUrl) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const authority = createAuthority()
  const certificate = join(folder, 'authority.pem')
  writeFileSync(certificate, authority.certificate)
  const receiver = startChild(new URL('large-receiver.mjs', import.meta.url))
  const gateway = startChild(new URL('large-gateway.mjs', import.meta.url), {
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_ROLES: 'dispatcher',
    POSTERN_LOG_LEVEL: 'warn',
    POSTERN_RETRY_DELAYS: '1ms,1ms,1ms',
    NODE_EXTRA_CA_CERTS: certificate,
    ...(databaseUrl === undefined ? {} : { POSTERN_DATABASE_URL: databaseUrl }),
  })
  await gateway.ask('subscribe', await receiver.ask('listen', authority))
  const blocks = Object.fromEntries(Object.keys(WORKS).map(name => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, longest] of Object.entries(await gateway.ask('round'))) blocks[name].push(...longest)
  }
  await gateway.stop()
  await receiver.stop()
  rmSync(folder, { recursive: true, force: true })
  const figures = Object.entries(WORKS).map(([name, text]) => {
    const [median, most] = [quantile(blocks[name], 0.5), quantile(blocks[name], 1)]
    return `${text} ${median.toFixed(1)} ms (max ${most.toFixed(1)})`
  })
  return `an event of 5.3 MB holds up the event loop: ${figures.join(', ')}; medians of ${ROUNDS}`
}

if (process.argv[1] === import.meta.filename) {
  const { startPostgres } = await import('../shared/postgres.mjs')
  const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined
  console.log(await measureLarge(postgres?.url))
  await postgres?.stop()
}
