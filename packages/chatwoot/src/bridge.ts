import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from './clock.ts'
import type { EventReader, Gateway } from '#listener/event-reader'
import type { BridgeLedger, Job } from './ledger.ts'
import { Links } from './links.ts'
import { OutgoingMessages } from './outgoing.ts'
import { type ChatwootApi, ChatwootError } from './chatwoot-api.ts'
import { type OpenedFile, openFile } from './files.ts'
import type { ReceivedMessage } from './from-event.ts'
import { postMessage } from './post-message.ts'
import { recordEvent } from './record-event.ts'
import { KeyedQueues } from './keyed-queues.ts'
import { retryLaterOf } from './retry-later.ts'
import { Contacts } from './contacts.ts'
import type { PostDeps } from './post-once.ts'
import type { BridgeLog } from './bridge-log.ts'
import { type Outgoing, sendMessage } from './send-message.ts'
import type { BridgeSettings } from './settings.ts'
import { acceptWebhook } from './accept-webhook.ts'
import { type StatusUpdate, updateStatus } from './update-status.ts'
import { serveWebhooks, type WebhookDeps } from './webhook-server.ts'

const CLEAN_UP_EVERY_MS = 6 * 3_600_000

export interface BridgeDeps {
  settings: BridgeSettings
  ledger: BridgeLedger
  api: ChatwootApi
  connect: () => Promise<Gateway>
  session: string
  secret: string
  signedWith: WebhookDeps['signedWith']
  log: BridgeLog
  clock: Clock
  ending: AbortController
}

/** Carries messages both ways. Every event and webhook is stored first and processed from there. */
export class Bridge {
  readonly #deps: BridgeDeps
  readonly #links: Links
  readonly #outgoing: OutgoingMessages
  readonly #contacts: Contacts
  readonly #queues: KeyedQueues
  /** Where the gateway fetches files. */
  #filesUrl = ''

  constructor(deps: BridgeDeps) {
    const { ledger, log, clock, ending } = deps
    this.#deps = deps
    this.#links = new Links(ledger)
    this.#outgoing = new OutgoingMessages(ledger)
    this.#contacts = new Contacts(deps.api, this.#links, deps.settings.inbox)
    this.#queues = new KeyedQueues({
      ledger,
      clock,
      signal: ending.signal,
      work: job => this.#work(job),
      onWaiting: (queue, why) => log.warn('waiting', `${nameOf(queue)} waits: ${why}.`),
      onResumed: queue => log.warn('going_on', `${nameOf(queue)} goes on.`),
      onAbandoned: (job, why) => this.#warnAbandoned(job, why),
    })
  }

  /** Returns the address of the webhook server. */
  async serve(): Promise<{ server: Server; url: string }> {
    const { settings, secret, signedWith, clock } = this.#deps
    const server = await serveWebhooks(
      { secret, signedWith, clock, accept: payload => this.#accept(payload), file: token => this.#file(token) },
      settings,
    )
    const listensAt = originOf(ANY_ADDRESS.includes(settings.host) ? '127.0.0.1' : settings.host, portOf(server))
    const url = settings.publicUrl ?? listensAt
    this.#filesUrl = settings.filesUrl ?? url
    return { server, url: `${url}/chatwoot/${secret}` }
  }

  /** Works until it is stopped or cannot continue. */
  async run(reader: EventReader): Promise<void> {
    const { ledger, ending } = this.#deps
    ledger.removeExpired()
    const endAll = (error: unknown): never => {
      ending.abort()
      throw error
    }
    const all = await Promise.allSettled([this.#queues.run().catch(endAll), this.#recordEvents(reader).catch(endAll)])
    for (const each of all) if (each.status === 'rejected') throw each.reason
  }

  async #recordEvents(reader: EventReader): Promise<void> {
    const { ledger, session, settings } = this.#deps
    const { keyPrefix, groups } = settings
    const deps = { ledger, links: this.#links, outgoing: this.#outgoing, session, keyPrefix, groups }
    let cleanedUpMs = ledger.nowMs()
    for await (const event of reader.events()) {
      recordEvent(deps, event)
      if (ledger.nowMs() - cleanedUpMs > CLEAN_UP_EVERY_MS) {
        ledger.removeExpired()
        cleanedUpMs = ledger.nowMs()
      }
      this.#queues.wake()
    }
  }

  #accept(payload: unknown): void {
    const { ledger, secret, settings } = this.#deps
    const { account, inbox } = settings
    const deps = { ledger, links: this.#links, outgoing: this.#outgoing, account, inbox, secret }
    if (acceptWebhook(deps, payload)) this.#queues.wake()
  }

  async #file(token: string): Promise<OpenedFile | undefined> {
    const file = this.#outgoing.file(token)
    return file && (await openFile(file.url, this.#deps.settings.fileHosts).catch(() => undefined))
  }

  async #checkFile(url: string): Promise<void> {
    const { body } = await openFile(url, this.#deps.settings.fileHosts)
    await body.cancel()
  }

  async #work(job: Job): Promise<void> {
    try {
      if (job.kind === 'message') await this.#post(job as Job<ReceivedMessage>)
      else if (job.kind === 'status') await this.#updateStatus(job as Job<StatusUpdate>)
      else await this.#send(job as Job<Outgoing>)
    } catch (error) {
      throw error instanceof ChatwootError ? retryLaterOf(error) : error
    }
  }

  #postDeps(): PostDeps {
    const { ledger, api, clock, settings } = this.#deps
    return { ledger, api, clock, graceMs: settings.timeoutMs + settings.graceMs }
  }

  async #post(job: Job<ReceivedMessage>): Promise<void> {
    const deps = { ...this.#postDeps(), links: this.#links, contacts: this.#contacts }
    const { id, conversationId } = await postMessage(deps, job)
    this.#deps.log.info('to_chatwoot', {
      message: job.content.message_id,
      conversation: conversationId,
      chatwoot_id: id,
    })
  }

  async #updateStatus(job: Job<StatusUpdate>): Promise<void> {
    await updateStatus(this.#postDeps(), job)
    const { id, conversationId, status } = job.content
    this.#deps.log.info('status', { chatwoot_id: id, conversation: conversationId, status })
  }

  async #send(job: Job<Outgoing>): Promise<void> {
    const { ledger, connect, clock, session, settings, log, ending } = this.#deps
    const isTaken = await sendMessage(
      {
        ledger,
        outgoing: this.#outgoing,
        connect,
        clock,
        session,
        keyPrefix: settings.keyPrefix,
        fileUrl: token => `${this.#filesUrl}/files/${token}`,
        checkFile: url => this.#checkFile(url),
        ending: ending.signal,
      },
      job,
    )
    const { id, conversationId } = job.content
    log.info(isTaken ? 'to_whatsapp' : 'refused', { chatwoot_id: id, conversation: conversationId })
    // A rejection added a job that reports it.
    this.#queues.wake()
  }

  #warnAbandoned(job: Job, why: string): void {
    const message = (job.content as { message_id?: string; id?: number }).message_id ?? (job.content as Outgoing).id
    const kept = this.#deps.ledger.countAbandoned()
    this.#deps.log.warn('given_up', `${job.kind} ${message} was given up: ${why}. Given up and kept: ${kept}.`)
  }
}

const ANY_ADDRESS = ['0.0.0.0', '::']

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** A chat is a phone number, which the log must not name. */
const nameOf = (queue: string): string => (queue.startsWith('chat ') ? 'a chat' : queue)

const originOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
