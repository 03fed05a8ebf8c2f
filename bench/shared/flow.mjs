import { later } from './child.mjs'

const OUTSTANDING = 2_000
const PRODUCERS = 256

/**
 * Publishes as fast as deliveries are made, with a limited lead; returns the rate and the processor time of this
 * process for each. `publish` resolves when its event is durable; `done` counts what is recorded.
 */
export async function measureFlow(seconds, publish, done) {
  let published = 0
  let over = false
  let moment
  // One timer for all producers: one each would be expensive.
  const aMoment = () => {
    moment ??= later(1).then(() => {
      moment = undefined
    })
    return moment
  }
  const first = done()
  const recorded = () => done() - first
  const producer = async () => {
    while (!over) {
      if (published - recorded() >= OUTSTANDING) await aMoment()
      else {
        published++
        await publish()
      }
    }
  }
  const producers = Array.from({ length: PRODUCERS }, producer)
  await later(1000)
  const before = recorded()
  const cpu = process.cpuUsage()
  await later(seconds * 1000)
  const { user, system } = process.cpuUsage(cpu)
  const made = recorded() - before
  over = true
  await Promise.all(producers)
  while (recorded() < published) await later(5)
  return { rate: made / seconds, cpuMicros: (user + system) / made }
}
