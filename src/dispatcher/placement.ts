import type { Context } from '../context.ts'
import type { FairQueue } from './fair-queue.ts'
import type { Lane } from './lane.ts'
import type { CurrentWebhooks } from './current-webhooks.ts'

interface PlacementDeps extends Pick<Context, 'log'> {
  webhooks: CurrentWebhooks
  queue: FairQueue
}

/** Assigns lanes to the current endpoints of their webhooks, and offers those to the queue. */
export class Placement {
  readonly #deps: PlacementDeps

  constructor(deps: PlacementDeps) {
    this.#deps = deps
  }

  /** A lane whose webhook cannot be read is placed again by the next scan, and delays no other. */
  async place(lane: Lane): Promise<void> {
    try {
      await this.#place(lane)
    } catch (error) {
      this.#deps.log.warn({ err: error, lane: lane.key }, 'webhook.read_failed')
    }
  }

  async #place(lane: Lane): Promise<void> {
    const { webhooks, queue } = this.#deps
    const head = lane.head
    if (head === undefined) return
    const webhook = await webhooks.get(lane.webhookId)
    if (lane.isClosed) return
    const endpoint = queue.endpointOf(head.accountId, lane.webhookId, webhook?.urlOf(lane.category) ?? '')
    lane.moveTo(endpoint)
    queue.offer(endpoint)
  }

  /** The webhook has changed: its deliveries may go to another endpoint now. */
  async placeAgain(webhookId: string, lanes: Lane[]): Promise<void> {
    this.#deps.webhooks.forget(webhookId)
    await Promise.all(lanes.map(lane => this.place(lane)))
  }
}
