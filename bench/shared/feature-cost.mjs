import { quantile } from './child.mjs'
import { startPart } from './part.mjs'

/** The feature named with `--beside NAME`, if any. */
export function requestedFeature(...names) {
  const at = process.argv.indexOf('--beside')
  if (at === -1) return undefined
  const name = process.argv[at + 1]
  if (names.includes(name)) return name
  throw new Error(`--beside: choose from ${names.join(', ')}`)
}

/** Starts a trace collector; returns the settings of a gateway that exports its spans to it. */
export async function startCollector() {
  const { child, first } = await startPart(new URL('collector.mjs', import.meta.url))
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: first.url }, stop: () => child.kill() }
}

/** The cost of the feature, from neighbouring rounds with and without it. */
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
