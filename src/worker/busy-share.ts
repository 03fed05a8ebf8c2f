import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Which part of its time this thread works; the rest it waits for something to do. */
export class BusyShare {
  #before: EventLoopUtilization = performance.eventLoopUtilization()

  sinceLast(): number {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#before)
    this.#before = now
    return utilization
  }
}
