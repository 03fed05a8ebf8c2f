import { afterAll, beforeAll, describe } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Limits, Plan } from '../../src/domain/account.ts'
import { makeId } from '../../src/domain/ids.ts'
import { type SessionLease, sessionLease } from '../../src/domain/lease.ts'
import type { SessionState } from '../../src/domain/session.ts'
import { type Gateway, startGateway } from '../../src/gateway.ts'
import { type Answer, ask, type Question } from './client.ts'
import { startCluster } from './cluster.ts'
import { IS_CLUSTER } from './is-cluster.ts'
import { cells } from './matrix.ts'
import { newPlace, type Place, STORES, type StoreKind } from './stores.ts'
import { takeSession } from './leases.ts'

export const OPERATOR_TOKEN = 'operator-token-0123456789'

export interface TestAccount {
  id: string
  key: string
  keyId: string
  /** Sends a request as this account. */
  ask(method: string, path: string, body?: unknown, headers?: Question['headers']): Promise<Answer>
}

export interface TestSession {
  /** The form with a device number, as customers give it. */
  id: string
  /** The form without, as events carry it. */
  jid: string
  phone: string
  lease: SessionLease
}

export interface AccountOptions {
  plan?: Plan
  limits?: Partial<Limits>
  acceptTos?: boolean
}

export interface TestGateway {
  url: string
  place: Place
  context: Gateway['context']
  store: Gateway['context']['store']
  operator(method: string, path: string, body?: unknown): Promise<Answer>
  account(options?: AccountOptions): Promise<TestAccount>
  /** The same account through another key. */
  as(account: TestAccount, key: string): TestAccount
  /** A number of the account; `hosted: false` leaves it without a worker. */
  session(account: TestAccount, options?: { hosted?: boolean }): Promise<TestSession>
  setState(session: TestSession, state: SessionState): Promise<void>
  stop(): Promise<void>
}

/**
 * The real gateway in this process, with only its api role, on a free port. If the tests run on a cluster it is
 * separate processes, unless parts of it are replaced.
 */
export async function startTestGateway(
  at: StoreKind | Place,
  env: Record<string, string> = {},
  overrides?: Parameters<typeof startGateway>[1],
): Promise<TestGateway> {
  const isOwn = typeof at === 'string'
  const place = isOwn ? await newPlace(IS_CLUSTER ? 'postgres' : at) : at
  if (IS_CLUSTER && place.kind === 'postgres' && overrides === undefined) {
    return describeGateway(await startCluster(place, env), place, isOwn)
  }
  const gateway = await startGateway(
    readConfig({
      POSTERN_PORT: '0',
      POSTERN_ROLES: 'api',
      POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
      POSTERN_LOG_LEVEL: 'silent',
      ...place.env,
      ...env,
    }),
    overrides,
  )
  return describeGateway(gateway, place, isOwn)
}

function describeGateway(gateway: Gateway, place: Place, ownsPlace: boolean): TestGateway {
  const url = gateway.localUrl!
  const { store } = gateway.context
  const operator: TestGateway['operator'] = (method, path, body) =>
    ask(url, method, path, { key: OPERATOR_TOKEN, body })
  const bind = (id: string, key: string, keyId: string): TestAccount => ({
    id,
    key,
    keyId,
    ask: (method, path, body, headers) =>
      ask(url, method, path, { key, body, ...(headers === undefined ? {} : { headers }) }),
  })
  return {
    url,
    place,
    context: gateway.context,
    store,
    operator,
    async account({ plan = 'max', limits, acceptTos = true } = {}) {
      const body = { name: 'Test', plan, accept_tos: acceptTos, ...(limits === undefined ? {} : { limits }) }
      const answer = await operator('POST', '/operator/accounts', body)
      if (answer.status !== 201) throw new Error(answer.text)
      return bind(answer.json.account.id, answer.json.api_key.key, answer.json.api_key.id)
    },
    as: (account, key) => bind(account.id, key, ''),
    session: (account, options) => registerTestSession(store, account.id, options?.hosted ?? true),
    async setState(session, state) {
      const memory = { state, downSince: null, reported: null }
      await store.sessions.recordLink({ lease: session.lease, memory, trouble: null, event: null })
    },
    async stop() {
      await gateway.stop()
      if (ownsPlace) place.remove()
    },
  }
}

let numbers = 0

/** A cluster has a worker, which hosts every number of a platform that it knows. */
const UNHOSTED_PLATFORM = (IS_CLUSTER ? 'nowhere' : 'whatsapp') as 'whatsapp'

/** A number as a finished pairing would leave it, with the test as its worker. */
export async function registerTestSession(
  store: TestGateway['store'],
  accountId: string,
  hosted: boolean,
): Promise<TestSession> {
  const phone = `1555${process.pid}${String(1_000 + numbers++)}`
  const jid = `${phone}@s.whatsapp.net`
  // Held before the number exists, so that no worker can take it.
  if (hosted) await store.leases.addLeases({ names: [sessionLease(jid)], pool: null })
  const taken = hosted ? await takeSession(store, jid, { owner: makeId('node'), ttlMs: 3_600_000 }) : undefined
  const lease = taken ?? { ...sessionLease(jid), epoch: 0, owner: 'nobody' }
  const platform = hosted ? 'whatsapp' : UNHOSTED_PLATFORM
  await store.sessions.registerSession({
    accountId,
    id: jid,
    phone,
    device: 1,
    label: 'test',
    platform,
    maxSessions: null,
  })
  return { id: `${phone}:1@s.whatsapp.net`, jid, phone, lease }
}

/** Two gateways on one PostgreSQL, for the tests of a group. */
export function onTwoNodes(
  overrides?: Parameters<typeof startGateway>[1],
  env: Record<string, string> = {},
): () => TestGateway[] {
  let place: Place
  let nodes: TestGateway[]
  beforeAll(async () => {
    place = await newPlace('postgres')
    nodes = [await startTestGateway(place, env, overrides), await startTestGateway(place, env, overrides)]
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    place.remove()
  })
  return () => nodes
}

type GatewayTests = (gateway: () => TestGateway, kind: StoreKind) => void

/** Runs the same tests against a gateway on SQLite and against one on PostgreSQL. */
export const onEachStore = (tests: GatewayTests, env?: Record<string, string>): void => onStores(STORES, tests, env)

/** The same for tests of what no store decides: `npm test` runs them on SQLite only, `npm run test:long` on both. */
export const onAnyStore = (tests: GatewayTests, env?: Record<string, string>): void =>
  onStores(cells(STORES), tests, env)

function onStores(kinds: readonly StoreKind[], tests: GatewayTests, env?: Record<string, string>): void {
  describe.each(kinds)('on %s', kind => {
    const isShared = env === undefined && !IS_CLUSTER
    let gateway: TestGateway
    beforeAll(async () => {
      gateway = await (isShared ? sharedGateway(kind) : startTestGateway(kind, env))
    })
    afterAll(async () => {
      if (!isShared) await gateway.stop()
    })
    tests(() => gateway, kind)
  })
}

/** One gateway without settings for all files of a process, of each kind. It ends with the process. */
const shared = new Map<StoreKind, Promise<TestGateway>>()

function sharedGateway(kind: StoreKind): Promise<TestGateway> {
  const started = shared.get(kind) ?? startShared(kind)
  shared.set(kind, started)
  return started
}

async function startShared(kind: StoreKind): Promise<TestGateway> {
  const gateway = await startTestGateway(kind)
  process.once('exit', () => gateway.place.remove())
  return gateway
}
