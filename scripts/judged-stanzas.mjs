/**
 * Prints how many stanzas a run of the tests has compared with the grammar of WhatsApp Web. The argument is the folder in
 * which the processes of the run have noted them. With `--check` it fails if the platform can send a kind of stanza that
 * the simulator has not sent, and `docs/platform-vocabulary.md` does not say why.
 */
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { VOCABULARY } from '../simulator/dist/grammar/web-client.js'

const PAGE = new URL('../docs/platform-vocabulary.md', import.meta.url)

const [folder, option] = process.argv.slice(2)
const lines = readdirSync(folder).flatMap(name => readFileSync(`${folder}/${name}`, 'utf8').trim().split('\n'))
const records = lines.map(line => line.split('|'))
const sum = column => records.reduce((total, record) => total + Number(record[column]), 0)
if (records.length > 0)
  console.log(`compared with WhatsApp Web: ${sum(0)} stanzas of the gateway, ${sum(1)} of the simulator`)

if (option === '--check') {
  const said = new Set(records.flatMap(record => record.slice(2)))
  const excused = new Set([...readFileSync(PAGE, 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(([, kind]) => kind))
  const missing = VOCABULARY.trim()
    .split('\n')
    .filter(kind => !said.has(kind) && !excused.has(kind))
  for (const kind of missing) console.error(`the simulator never sends: ${kind}`)
  if (missing.length > 0) process.exit(1)
}
