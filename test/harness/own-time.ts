const EVERY_MS = 10

let [lookedAt, used] = [performance.now(), process.cpuUsage()]
let late = 0
setInterval(look, EVERY_MS).unref()

function look(): void {
  const { user, system } = process.cpuUsage(used)
  const now = performance.now()
  late += Math.max(0, now - lookedAt - EVERY_MS - (user + system) / 1_000)
  ;[lookedAt, used] = [now, process.cpuUsage()]
}

/** Milliseconds so far in which this process would have run, and the machine let others run. What it computes is its own. */
export function lateMs(): number {
  look()
  return late
}

/** A time that stands still while the machine lets others run, to hold the gateway to its bounds on any machine. */
export const ownMs = (): number => performance.now() - lateMs()
