import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Builder } from '../image/builder.mjs'
import { ownFolder } from '../image/own-folder.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const IMAGES = '/var/cache/postern-image'
const MADE = 'localhost/postern'

/** Replacements of public images, and the commands that print their versions. */
const STAND_INS = {
  'postgres:15-bookworm': ['database', ['/usr/lib/postgresql/15/bin/postgres', '--version']],
  'edoburu/pgbouncer:1.18.0': ['pooler', ['/usr/sbin/pgbouncer', '--version']],
  'caddy:2': ['proxy', ['/usr/bin/caddy', 'version']],
  'prom/prometheus:v2.42.0': ['prometheus', ['/usr/bin/prometheus', '--version']],
}

/** Loads the gateway's image from `npm run image`, and builds replacements of the others. */
export async function makeImages(steps, engine, root, folder) {
  const builder = new Builder(root, ownFolder(IMAGES), folder)
  await steps.step('Take the image of the gateway', async () => {
    for (const [name, tag] of [
      [MADE, 'postern:latest'],
      [`${MADE}-base`, 'postern-base:latest'],
    ]) {
      const file = join(folder, 'image.tar')
      await builder.buildah('push', name, `docker-archive:${file}:${tag}`)
      await engine.docker('load', '--input', file)
      rmSync(file)
    }
    const { size } = await builder.describe(MADE)
    const built = await engine.docker('inspect', '--format', '{{.Created}}', 'postern')
    return `\`postern\`, ${size}, built ${built.slice(0, 16).replace('T', ' ')} UTC`
  })
  const context = join(folder, 'stand-ins')
  mkdirSync(context)
  cpSync(join(here, 'stand-ins'), context, { recursive: true })
  for (const [tag, [target, version]] of Object.entries(STAND_INS)) {
    await steps.step(`Build the replacement of \`${tag}\``, async () => {
      await engine.docker('build', '--network', 'host', '--target', target, '-t', tag, context)
      const said = await engine.docker('run', '--rm', '--network', 'none', '--entrypoint', version[0], tag, version[1])
      return `Debian’s package: ${said.split('\n')[0]}`
    })
  }
}
