import { resolve } from 'node:path'
import { quantile } from '../shared/child.mjs'
import { loadOnce } from './load.mjs'

/**
 * Measures the first load of the portal and its documentation with a cold cache: medians of some loads.
 * `npm run bench -- first-load [--beside folder]`: also measures a second, built checkout, alternating with this one.
 */
const LOADS = Number(process.env.LOADS ?? 5)
const AMOUNTS = { numbers: 7, messages: 4_000, history: 400, deadLetters: 6 }
const PAGES = { 'sign-in': '/sign-in', overview: '/', docs: '/docs' }
const [desk, phone] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
const WAYS = {
  '1440 × 900': { viewport: desk },
  '1440 × 900, processor 4× slower': { viewport: desk, slower: 4 },
  '390 × 844': { viewport: phone },
  '390 × 844, processor 4× slower': { viewport: phone, slower: 4 },
  '390 × 844, processor 4× slower, slow 4G': { viewport: phone, slower: 4, network: true },
}
const COLUMNS = {
  'first paint ms': ['firstMs', 0],
  'largest paint ms': ['largestMs', 0],
  'h1 ms': ['h1Ms', 0],
  'blocked ms': ['blockedMs', 0],
  shift: ['shift', 3],
  kB: ['kB', 1],
  requests: ['requests', 0],
}

const at = process.argv.indexOf('--beside')
const here = new URL('../..', import.meta.url).pathname
const sides = at === -1 ? { here } : { before: resolve(process.argv[at + 1]), after: here }
const stages = await Promise.all(Object.entries(sides).map(openSide))
console.log(`page      ${'how'.padEnd(42)}${stages.length > 1 ? 'code    ' : ''}${Object.keys(COLUMNS).join('   ')}`)
for (const [name, path] of Object.entries(PAGES))
  for (const [how, way] of Object.entries(WAYS)) await measure(name, path, how, way)
for (const { stage } of stages) await stage.close()

async function openSide([name, folder]) {
  const { openStage } = await import(resolve(folder, 'scripts/portal-stage.mjs'))
  const stage = await openStage(AMOUNTS)
  const context = (await stage.visit({ viewport: desk })).context()
  const storageState = await context.storageState()
  await context.close()
  return { name, stage, browser: context.browser(), storageState }
}

async function measure(name, path, how, way) {
  const loads = stages.map(() => [])
  for (let nth = 0; nth < LOADS; nth++)
    for (const [side, { stage, browser, storageState }] of stages.entries())
      loads[side].push(
        await loadOnce(browser, stage.url + path, { ...way, ...(name !== 'sign-in' && { storageState }) }),
      )
  for (const [side, of] of loads.entries()) {
    const cells = Object.entries(COLUMNS).map(([title, [field, digits]]) =>
      quantile(
        of.map(load => load[field]),
        0.5,
      )
        .toFixed(digits)
        .padStart(title.length),
    )
    const code = stages.length > 1 ? stages[side].name.padEnd(8) : ''
    console.log(`${name.padEnd(10)}${how.padEnd(42)}${code}${cells.join('   ')}`)
  }
}
