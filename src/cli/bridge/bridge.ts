import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../runtime/clock.ts'
import { originOf } from '../../config.ts'
import type { BridgeLedger, Job } from '../../store/bridge/bridge-ledger.ts'
import { BridgeLinks } from '../../store/bridge/bridge-links.ts'
import { BridgeOutgoing } from '../../store/bridge/bridge-outgoing.ts'
import type { GatewayClient } from '../gateway-client.ts'
import type { EventReader } from '../listen/event-reader.ts'
import { bringMessage } from './bring-message.ts'
import { type ChatwootApi, ChatwootRefusal } from './chatwoot-api.ts'
import { type OpenedFile, openFile } from './files.ts'
import type { HeardMessage } from './from-event.ts'
import { hear } from './hear.ts'
import { Lanes } from './lanes.ts'
import { laterOf } from './later.ts'
import { People } from './people.ts'
import type { PostParts } from './post-once.ts'
import type { Says } from './says.ts'
import { type Outgoing, sendWritten } from './send-written.ts'
import type { BridgeSettings } from './settings.ts'
import { takeWebhook } from './take-webhook.ts'
import { type StatusNews, tellStatus } from './tell-status.ts'
import { serveWebhooks, type WebhookParts } from './webhook-server.ts'

const TRIM_EVERY_MS = 6 * 3_600_000

export interface BridgeParts {
  settings: BridgeSettings
  ledger: BridgeLedger
  api: ChatwootApi
  reach: () => Promise<GatewayClient>
  session: string
  secret: string
  signedWith: WebhookParts['signedWith']
  says: Says
  clock: Clock
  ending: AbortController
}

/** Carries messages both ways: what comes is on disk first, and is worked on from there. */
export class Bridge {
  readonly #parts: BridgeParts
  readonly #links: BridgeLinks
  readonly #outgoing: BridgeOutgoing
  readonly #people: People
  readonly #lanes: Lanes
  /** Where the gateway fetches files. */
  #filesUrl = ''

  constructor(parts: BridgeParts) {
    const { ledger, says, clock, ending } = parts
    this.#parts = parts
    this.#links = new BridgeLinks(ledger)
    this.#outgoing = new BridgeOutgoing(ledger)
    this.#people = new People(parts.api, this.#links, parts.settings.inbox)
    this.#lanes = new Lanes({
      ledger,
      clock,
      signal: ending.signal,
      work: job => this.#work(job),
      waits: (lane, why) => says.news('waiting', `${nameOf(lane)} waits: ${why}.`),
      goesOn: lane => says.news('going_on', `${nameOf(lane)} goes on.`),
      gaveUp: (job, why) => this.#gaveUp(job, why),
    })
  }

  /** Answers where it listens. */
  async serve(): Promise<{ server: Server; url: string }> {
    const { settings, secret, signedWith, clock } = this.#parts
    const server = await serveWebhooks(
      { secret, signedWith, clock, take: payload => this.#take(payload), file: token => this.#file(token) },
      settings,
    )
    const listensAt = originOf(ANYWHERE.includes(settings.host) ? '127.0.0.1' : settings.host, portOf(server))
    const url = settings.publicUrl ?? listensAt
    this.#filesUrl = settings.filesUrl ?? url
    return { server, url: `${url}/chatwoot/${secret}` }
  }

  /** Until it is ended, or cannot go on. */
  async run(reader: EventReader): Promise<void> {
    const { ledger, ending } = this.#parts
    ledger.trim()
    const endAll = (error: unknown): never => {
      ending.abort()
      throw error
    }
    const all = await Promise.allSettled([this.#lanes.run().catch(endAll), this.#hearAll(reader).catch(endAll)])
    for (const each of all) if (each.status === 'rejected') throw each.reason
  }

  async #hearAll(reader: EventReader): Promise<void> {
    const { ledger, session, settings } = this.#parts
    const { keyPrefix, groups } = settings
    const parts = { ledger, links: this.#links, outgoing: this.#outgoing, session, keyPrefix, groups }
    let trimmedMs = ledger.nowMs()
    for await (const event of reader.events()) {
      hear(parts, event)
      if (ledger.nowMs() - trimmedMs > TRIM_EVERY_MS) {
        ledger.trim()
        trimmedMs = ledger.nowMs()
      }
      this.#lanes.ring()
    }
  }

  #take(payload: unknown): void {
    const { ledger, secret, settings } = this.#parts
    const { account, inbox } = settings
    const parts = { ledger, links: this.#links, outgoing: this.#outgoing, account, inbox, secret }
    if (takeWebhook(parts, payload)) this.#lanes.ring()
  }

  async #file(token: string): Promise<OpenedFile | undefined> {
    const file = this.#outgoing.file(token)
    return file && (await openFile(file.url, this.#parts.settings.fileHosts).catch(() => undefined))
  }

  async #tryFile(url: string): Promise<void> {
    const { body } = await openFile(url, this.#parts.settings.fileHosts)
    await body.cancel()
  }

  async #work(job: Job): Promise<void> {
    try {
      if (job.kind === 'message') await this.#bring(job as Job<HeardMessage>)
      else if (job.kind === 'status') await this.#tell(job as Job<StatusNews>)
      else await this.#send(job as Job<Outgoing>)
    } catch (error) {
      throw error instanceof ChatwootRefusal ? laterOf(error) : error
    }
  }

  #posting(): PostParts {
    const { ledger, api, clock, settings } = this.#parts
    return { ledger, api, clock, settledMs: settings.timeoutMs + settings.graceMs }
  }

  async #bring(job: Job<HeardMessage>): Promise<void> {
    const parts = { ...this.#posting(), links: this.#links, people: this.#people }
    const { id, conversationId } = await bringMessage(parts, job)
    this.#parts.says.done('to_chatwoot', {
      message: job.content.message_id,
      conversation: conversationId,
      chatwoot_id: id,
    })
  }

  async #tell(job: Job<StatusNews>): Promise<void> {
    await tellStatus(this.#posting(), job)
    const { id, conversationId, status } = job.content
    this.#parts.says.done('status', { chatwoot_id: id, conversation: conversationId, status })
  }

  async #send(job: Job<Outgoing>): Promise<void> {
    const { ledger, reach, clock, session, settings, says, ending } = this.#parts
    const isTaken = await sendWritten(
      {
        ledger,
        outgoing: this.#outgoing,
        reach,
        clock,
        session,
        keyPrefix: settings.keyPrefix,
        fileUrl: token => `${this.#filesUrl}/files/${token}`,
        tryFile: url => this.#tryFile(url),
        ending: ending.signal,
      },
      job,
    )
    const { id, conversationId } = job.content
    says.done(isTaken ? 'to_whatsapp' : 'refused', { chatwoot_id: id, conversation: conversationId })
    // Why it was refused is a job of its own.
    this.#lanes.ring()
  }

  #gaveUp(job: Job, why: string): void {
    const message = (job.content as { message_id?: string; id?: number }).message_id ?? (job.content as Outgoing).id
    const kept = this.#parts.ledger.givenUp()
    this.#parts.says.news('given_up', `${job.kind} ${message} was given up: ${why}. Given up and kept: ${kept}.`)
  }
}

const ANYWHERE = ['0.0.0.0', '::']

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Chats are numbers of people: they are not said. */
const nameOf = (lane: string): string => (lane.startsWith('chat ') ? 'a chat' : lane)
