import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitsOf, PLANS } from '../../src/domain/account.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { deliveriesKeptMs, KEPT_MS } from '../../src/domain/retention.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const security = readFileSync(resolve(ROOT, 'docs/security.md'), 'utf8')
const rows = security
  .split('\n')
  .filter(line => line.startsWith('|') && line.includes('.test.ts'))
  .map(line => line.split('|').map(cell => cell.trim()))
  .filter(cells => cells.length === 7)
const limits = rows.map(cells => cells[3]!)

/** By bound: the first cell of its row. */
const ROW_OF: Record<keyof typeof BOUNDS, string> = {
  trackedCallers: 'Remembered request rates',
  waitingRequests: 'Requests in progress',
  bodyBytesOfAccount: 'Bytes of bodies in progress',
  bodyBytes: 'Bytes of bodies in progress',
  connections: 'Connections',
  openStreams: 'Open event streams',
  listeners: 'Listeners',
  listenedEvents: 'Events kept for listeners, encrypted',
  listenedBytes: 'Events kept for listeners, encrypted',
  openPairings: 'Open pairings',
  openSandboxPairings: 'Open pairings of requests that create sandbox numbers',
  endedPairingsKept: 'Finished pairings kept',
  portalSessions: 'Portal sessions',
  revokedKeysKept: 'Revoked keys kept',
  waitingSessionRequests: 'Requests that wait for a worker',
  waitingPairingAnswers: "Answers that wait for a pairing's worker (passkey, confirm, new code)",
  waitingHistory: "Requests for older messages that wait for a number's phone",
  poisonKept: 'Encrypted bodies of received items that were abandoned',
  editsOfMessage: 'Edits and revokes of a message',
  revokesOfMessage: 'Edits and revokes of a message',
  presenceSubscriptions: 'Presence subscriptions',
  inactiveWebhooks: 'Webhook configs',
  endpoints: 'Endpoints',
  pullEndpoints: 'Endpoints of type `pull`',
  pulledEvents: 'Events kept for a pull endpoint, encrypted',
  pulledBytes: 'Events kept for a pull endpoint, encrypted',
  fileTransfers: 'Files in transfer',
  runningReplays: 'Running replay jobs',
  runningErasures: 'Running erasures of people',
  finishedReplaysKept: 'Records of finished replays',
  historyEntries: 'Entries of the delivery history',
  loggedRequests: 'Requests in the API log',
  deadLetters: 'Dead letters',
  replacedLetters: 'Dead letters that a later failed attempt replaced, still readable by id',
  payloadBytes: 'Payloads of dead letters',
  doneInboxRows: 'Processed received messages (`inbox`)',
  seenMessages:
    'Messages that replies, votes and encrypted edits can refer to, with their encrypted secrets (`seen_messages`)',
  receiptsOfMessage: 'Receipts of a message',
  receiptsShown: 'Receipts of a message',
  membersShown: 'Entries of lists that the platform fills',
  orderedProducts: 'Entries of lists that the platform fills',
  reactionsShown: 'Entries of lists that the platform fills',
  websitesShown: 'Entries of lists that the platform fills',
  openingHoursShown: 'Entries of lists that the platform fills',
  labelsOfChat: 'Entries of lists that are filled over time',
  refusalCodes: 'Entries of lists that are filled over time',
  leasesShown: 'Entries of lists that are filled over time',
  nodesShown: 'Entries of lists that are filled over time',
  trackedSignIns: 'Remembered clients that try to sign in',
  sandboxContacts: 'Sandbox contacts',
  sandboxMessageBytes: 'Messages on sandbox phones',
  sandboxGroups: 'Sandbox groups and channels',
  membersOfSandboxGroup: 'Members of a sandbox group',
  sandboxChannels: 'Sandbox groups and channels',
  sandboxWaiting: 'Messages that wait for a sandbox number that is not connected',
  mediaFiles: 'Stored media, encrypted',
  uploads: 'Files uploaded for sandbox numbers, encrypted',
  uploadBytes: 'Files uploaded for sandbox numbers, encrypted',
  sandboxFaults: 'Faults planned in the sandbox',
}
const [MIB, GIB] = [2 ** 20, 2 ** 30]
function shown(n: number): string {
  if (n >= GIB) return `${n / GIB} GiB`
  return n >= MIB ? `${n / MIB} MiB` : n.toLocaleString('en-US')
}

/** Whether the cell has this number, and not only one that contains its digits. */
const namesNumber = (cell: string, number: string): boolean =>
  new RegExp(`(?<![\\d,.])${number}(?![.,]?\\d)`).test(cell)

describe('The table of bounds in docs/security.md', () => {
  it.each(Object.entries(BOUNDS))(
    'names %s with its limit, in its own row and as a number of its own',
    (name, limit) => {
      const cells = rows.filter(row => row[1] === ROW_OF[name as keyof typeof BOUNDS]).map(row => row[3]!)
      expect(cells.length).toBeGreaterThan(0)
      expect(
        cells.some(cell => namesNumber(cell, shown(limit))),
        cells.join(),
      ).toBe(true)
    },
  )

  it('is not satisfied by a longer number that begins or ends with the limit', () => {
    expect(['10,000', '5 of 110', '10.5', '1,010'].filter(cell => namesNumber(cell, '10'))).toEqual([])
    expect(['10', '10, then one in 10 s', '5; 10'].filter(cell => !namesNumber(cell, '10'))).toEqual([])
  })

  it.each(['keys', 'sandbox_sessions', 'waiting_messages'] as const)('names %s with the limit of each plan', name => {
    const cell = PLANS.map(plan => shown(limitsOf({ plan, limitOverrides: {} })[name]!)).join(' / ')
    expect(limits).toContain(cell)
  })

  it('names tests that exist', () => {
    for (const cells of rows) {
      const [file, name] = cells[5]!.replaceAll('`', '').split(' › ')
      expect(readFileSync(resolve(ROOT, 'test', file!), 'utf8'), `${file}: ${name}`).toContain(name)
    }
  })
})

const DAY_MS = 86_400_000
function lasting(ms: number): string {
  if (ms >= DAY_MS) return ms === DAY_MS ? '1 day' : `${ms / DAY_MS} days`
  return ms === 3_600_000 ? '1 hour' : `${ms / 1_000} seconds`
}

describe('The retention table in docs/operations.md', () => {
  it('gives each period, in the order of the code', () => {
    const operations = readFileSync(resolve(ROOT, 'docs/operations.md'), 'utf8')
    const table = operations.split('| Kept for |\n|---|---|\n')[1]!.split('\n\n')[0]!
    const times = table.split('\n').map(row => row.split('|')[2]!.trim())
    const ofPlans = PLANS.map(plan => deliveriesKeptMs(plan) / DAY_MS).join(' / ')
    expect(times).toEqual([`${ofPlans} days`, ...Object.values(KEPT_MS).map(lasting)])
  })
})
