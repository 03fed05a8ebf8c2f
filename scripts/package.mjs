import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './shared/command.mjs'
import { Steps } from './shared/steps.mjs'
import { Trial } from './package/trial.mjs'
import { helpIfAsked } from './shared/help.mjs'

/**
 * npm run package: packs this checkout, runs the package in an empty folder with npx, sends a message, installs it
 * under a separate prefix and starts it on the same data. Writes the results to docs/transcripts/package.md.
 */
helpIfAsked(import.meta.url)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const steps = new Steps()
const folder = mkdtempSync(join(tmpdir(), 'postern-try-'))
try {
  await new Trial(steps, root, folder).run()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
steps.write(join(root, 'docs/transcripts/package.md'), 'The package, in an empty folder', await preface())

async function preface() {
  return [
    `Written by \`npm run package\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.version}, npm ${await run('npm', ['--version'])}. \`~/try\` is an empty folder outside of`,
    'the checkout. What npm downloads was in its cache from an earlier run; nothing that npx or npm had unpacked was there.',
    'The times were measured on a machine with two cores that also did other work.',
  ]
}
