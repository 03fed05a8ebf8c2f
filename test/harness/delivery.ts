import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFileEvent } from '../../src/actions/make-event.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { readConfig } from '../../src/config.ts'
import { type Context, createContext } from '../../src/context.ts'
import { createDispatcher } from '../../src/dispatcher/dispatcher.ts'
import type { Plan } from '../../src/domain/account.ts'
import type { Category, Event, MessageEvent } from '../../src/domain/event.ts'
import { makeId } from '../../src/domain/ids.ts'
import { aboutWebhook } from '../../src/domain/sealed.ts'
import { makeWebhookSecret } from '../../src/domain/webhook.ts'

export interface DeliveryBed {
  context: Context
  addAccount(plan?: Plan): Promise<string>
  /** A number with a webhook; a single URL is for messages. */
  addWebhook(urls: string | Partial<Record<Category, string>>, accountId?: string): Promise<Subscribed>
  publish(webhook: Pick<Subscribed, 'accountId'>, event: Event): Promise<string | null>
  startDispatcher(overrides?: Partial<Context>): { ready(): boolean; stop(): Promise<void> }
  /** The messages whose events were attempted, in the order in which their first attempts began. */
  begun(webhook: Pick<Subscribed, 'accountId'>): Promise<string[]>
  close(): Promise<void>
}

export interface Subscribed {
  accountId: string
  sessionId: string
  webhookId: string
  secret: string
}

/** A store with accounts and webhooks, and dispatchers over it, without the rest of the gateway. */
export async function openDelivery(env: Record<string, string> = {}): Promise<DeliveryBed> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-delivery-'))
  const config = readConfig({
    POSTERN_DATA_DIR: env.POSTERN_DATA_DIR ?? folder,
    POSTERN_RETRY_DELAYS: '200ms,300ms,400ms',
    POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    ...env,
  })
  const context = await createContext(config)
  const { store, seal } = context
  const clock = neverTwice(context.clock)
  const running = new Set<() => Promise<void>>()
  let phones = 0

  const addAccount = async (plan: Plan = 'max') => {
    const id = makeId('acc')
    await store.accounts.createAccount({
      id,
      name: 'test',
      plan,
      limitOverrides: {},
      acceptTosVersion: '2026-01',
      user: null,
      key: null,
    })
    return id
  }
  return {
    context,
    addAccount,
    addWebhook: async (given, accountId) => {
      const owner = accountId ?? (await addAccount())
      const phone = `9990${String(Date.now() % 1_000_000)}${phones++}`
      const sessionId = `${phone}@s.whatsapp.net`
      const webhookId = makeId('wh')
      const secret = makeWebhookSecret()
      const urls = { messages: '', status: '', connection: '', events: '' }
      await store.webhooks.createWebhook({
        id: webhookId,
        accountId: owner,
        sessionId,
        phone,
        urls: typeof given === 'string' ? { ...urls, messages: given } : { ...urls, ...given },
        sealedSecret: seal.seal(secret, aboutWebhook(webhookId)),
      })
      return { accountId: owner, sessionId, webhookId, secret }
    },
    publish: async (webhook, event) =>
      store.events.publishEvent(await makeFileEvent({ seal }, webhook.accountId, event)),
    startDispatcher: (overrides = {}) => {
      const stopping = new AbortController()
      const role = createDispatcher({ ...context, clock, nodeId: makeId('node'), ...overrides })
      const ended = role.run(stopping.signal)
      const stop = async () => {
        running.delete(stop)
        stopping.abort()
        await ended
      }
      running.add(stop)
      return { ready: () => role.isReady(), stop }
    },
    begun: async ({ accountId }) => {
      const asked = { accountId, sessionIds: null, limit: 500, cursor: null }
      const { data, nextCursor } = await store.deliveries.listDeliveries(asked)
      if (nextCursor !== null) throw new Error('there were more deliveries than are looked at')
      const tried = data.filter(({ attempts }) => attempts.length > 0)
      return tried.sort((a, b) => a.attempts[0]!.atMs - b.attempts[0]!.atMs).map(({ dedupeId }) => dedupeId)
    },
    close: async () => {
      await Promise.all([...running].map(stop => stop()))
      await context.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A clock that never returns the same time twice, so that the order of starts is visible. */
function neverTwice(clock: Clock): Clock {
  let last = 0
  return {
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    now: () => {
      last = Math.max(last + 1, clock.now().getTime())
      return new Date(last)
    },
  }
}

let messages = 0

/** An incoming text; every call makes another message. */
export const textMessage = (sessionId: string, text = 'hello', more: Partial<MessageEvent> = {}): MessageEvent => ({
  kind: 'message',
  message_id: `3EB0${String(++messages).padStart(8, '0')}`,
  session_id: sessionId,
  sender_jid: '15550001111@s.whatsapp.net',
  sender_name: 'Ada',
  chat_jid: '15550001111@s.whatsapp.net',
  is_group: false,
  broadcast: false,
  type: 'text',
  text,
  timestamp_unix: Math.floor(Date.now() / 1000),
  ...more,
})
