import { quantile } from './child.mjs'
import { startPart } from './part.mjs'

/** The part whose cost is asked for with `--beside NAME`, if any. */
export function askedBeside(...names) {
  const at = process.argv.indexOf('--beside')
  if (at === -1) return undefined
  const name = process.argv[at + 1]
  if (names.includes(name)) return name
  throw new Error(`--beside: choose from ${names.join(', ')}`)
}

/** The settings of a second gateway whose spans are collected, and how to end what collects them. */
export async function tracedBeside() {
  const { child, first } = await startPart(new URL('collector.mjs', import.meta.url))
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: first.url }, stop: () => child.kill() }
}

/** What the part costs, by rounds with it and without, each beside its neighbour. */
export function costOf(name, shipped, other) {
  const [on, off] = name === 'traces' ? [other, shipped] : [shipped, other]
  const medianOf = pick =>
    quantile(
      on.map((each, round) => pick(each) / pick(off[round])),
      0.5,
    )
  const [rate, cpu] = [medianOf(each => each.rate), medianOf(each => each.cpuMicros)]
  const micros = all =>
    Math.round(
      quantile(
        all.map(each => each.cpuMicros),
        0.5,
      ),
    )
  const words =
    `${name} on / off: rate ${rate.toFixed(3)}, processor time ${cpu.toFixed(3)} ` +
    `(${micros(on)} and ${micros(off)} µs each; ${on.length} rounds)`
  return { rate, cpu, words }
}
