import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { failuresOf, keyOf } from './receiver.mjs'

/** Compares the attempted and committed events with the delivered and dead ones. */
export function balance({ folder, ledger, setup, traffic, dead, kills, crashes }) {
  const { received, receivers, faults } = ledger
  const pathOf = pathsOf(ledger)
  const tried = new Map(lines(folder, 'tried'))
  const committed = lines(folder, 'committed').map(([id]) => id)
  const deadKeys = new Set(dead.map(row => keyOf(pathOf.get(row.receiver), row.id)))
  const entries = [...received.values()]
  const isBulk = ({ path }) => receivers.get(path).bulk
  const bulk = entries.filter(isBulk)
  const front = entries.filter(entry => !isBulk(entry))
  const hasEnded = key => deadKeys.has(key) || (received.get(key)?.accepted ?? 0) > 0
  const uncommitted = kills.flatMap(kill => kill.uncommitted)
  const repeats = readRepeats(folder, ledger)
  const reasons = countBy(repeats, ({ reason }) => reason)
  /** How often each delivery had to be sent again although the receiver did not require it. */
  const allowedOf = countBy([...uncommitted, ...repeats.map(({ key }) => key)], key => key)
  const owed = committed.flatMap(id => setup.receiversOf(id).map(path => keyOf(path, id)))
  const pulled = traffic.pulled()
  const counts = {
    lost:
      owed.filter(key => !hasEnded(key)).length +
      traffic.unreported().length +
      traffic.owed().filter(key => !hasEnded(key)).length +
      pulled.lost,
    unexpected:
      bulk.filter(({ path, id }) => !tried.has(id) || !setup.receiversOf(id).includes(path)).length +
      front.filter(entry => !traffic.isExpected(entry)).length +
      pulled.unexpected,
    altered: [
      ...bulk.filter(({ id, hashes }) => hashes.size > 1 || !hashes.has(tried.get(id))),
      ...front.filter(({ hashes }) => hashes.size > 1),
    ].length,
    wrongSignature: faults.unsigned,
    wrongEndpoint: faults.foreign,
    wronglyDead: dead.filter(row => isWronglyDead(receivers.get(pathOf.get(row.receiver)), row.id)).length,
    pulledTwice: pulled.twice,
    crashes,
  }
  function isWronglyDead(receiver, id) {
    return failuresOf(receiver, id) === 0 && (received.get(keyOf(receiver.path, id))?.accepted ?? 0) === 0
  }
  const extras = entries.map(({ path, id, posts }) => ({
    key: keyOf(path, id),
    count: extra(receivers.get(path), id, posts),
  }))
  counts.unexplained = extras.reduce((sum, { key, count }) => sum + Math.max(0, count - (allowedOf[key] ?? 0)), 0)
  // The first request of a delivery that was sent again may not have arrived.
  const disordered = countDisordered(bulk.filter(({ path, id }) => allowedOf[keyOf(path, id)] === undefined))
  const maxAttempts = Math.max(0, ...dead.map(row => JSON.parse(row.attempts).filter(({ probe }) => !probe).length))
  const nothingWrong = Object.values(counts).every(count => count === 0)
  return {
    // Requests that a dead process had begun may not have arrived either.
    passed: nothingWrong && disordered <= uncommitted.length && maxAttempts <= 4 && committed.length > 0,
    tried: tried.size,
    committed: committed.length,
    owed: owed.length,
    delivered: entries.filter(({ accepted }) => accepted > 0).length,
    dead: deadKeys.size,
    pulled: pulled.read,
    messagesAccepted: traffic.accepted.size,
    eventsOfMessages: front.length,
    ...counts,
    kills: kills.length,
    killsOf: countBy(kills, kill => kill.name),
    duplicates: extras.reduce((sum, { count }) => sum + count, 0),
    disordered,
    uncommittedAtKills: uncommitted.length,
    staleResults: reasons.stale ?? 0,
    unanswered: reasons.unanswered ?? 0,
    mostAtOneKill: Math.max(0, ...kills.map(kill => kill.uncommitted.length)),
    maxAttempts,
  }
}

/** The paths of the receivers by their ids. */
export const pathsOf = ({ receivers }) => new Map([...receivers.values()].map(({ id, path }) => [id, path]))

/** Why deliveries had to be sent again, as their dispatchers noted it. */
export function readRepeats(folder, ledger) {
  const pathOf = pathsOf(ledger)
  return lines(folder, 'repeats').map(([reason, receiver, id]) => ({ reason, key: keyOf(pathOf.get(receiver), id) }))
}

function lines(folder, name) {
  const text = readFileSync(join(folder, name), 'utf8')
  if (text === '') return []
  return text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .map(line => line.split(' '))
}

/** Requests beyond those that the receiver's responses required. */
function extra(receiver, id, posts) {
  const failures = failuresOf(receiver, id)
  return Math.max(0, posts - (failures === Number.POSITIVE_INFINITY ? 4 : failures + 1))
}

/** A request names its start in whole seconds. */
const LATE_MS = 1_000

/** Events of a number whose first request started after the first one of a later event. */
function countDisordered(entries) {
  const lanes = new Map()
  for (const entry of entries) {
    const name = `${entry.path} ${entry.id.split('-')[1]}`
    lanes.set(name, [...(lanes.get(name) ?? []), entry])
  }
  let disordered = 0
  for (const lane of lanes.values()) {
    const serialOf = ({ id }) => Number(id.split('-')[2])
    let earliest = Number.POSITIVE_INFINITY
    for (const { firstAt } of lane.sort((a, b) => serialOf(b) - serialOf(a))) {
      if (firstAt > earliest + LATE_MS) disordered++
      earliest = Math.min(earliest, firstAt)
    }
  }
  return disordered
}

export function countBy(items, keyOfItem) {
  const counts = {}
  for (const item of items) counts[keyOfItem(item)] = (counts[keyOfItem(item)] ?? 0) + 1
  return counts
}
