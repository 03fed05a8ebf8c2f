import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { failuresOf, keyOf } from './receiver.mjs'

/** Compares the attempted and committed events with the delivered and dead ones. */
export function balance({ folder, ledger, setup, traffic, dead, kills, staleResults, crashes, restarts }) {
  const { received, receivers, faults } = ledger
  const pathOf = new Map([...receivers.values()].map(({ id, path }) => [id, path]))
  const tried = new Map(lines(folder, 'tried'))
  const committed = lines(folder, 'committed').map(([id]) => id)
  const deadKeys = new Set(dead.map(row => keyOf(pathOf.get(row.receiver), row.id)))
  const entries = [...received.values()]
  const isBulk = ({ path }) => receivers.get(path).bulk
  const bulk = entries.filter(isBulk)
  const front = entries.filter(entry => !isBulk(entry))
  const hasEnded = key => deadKeys.has(key) || (received.get(key)?.accepted ?? 0) > 0
  const allowed = kills.reduce((sum, { uncommitted }) => sum + uncommitted, 0)
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
  const duplicates = entries.reduce((sum, { path, id, posts }) => sum + extra(receivers.get(path), id, posts), 0)
  const disordered = countDisordered(bulk)
  const maxAttempts = Math.max(0, ...dead.map(row => JSON.parse(row.attempts).filter(({ probe }) => !probe).length))
  const nothingWrong = Object.values(counts).every(count => count === 0)
  return {
    passed:
      nothingWrong &&
      duplicates <= allowed + staleResults &&
      // A database that restarts loses notifications. The lanes are read from their start again within seconds.
      (restarts > 0 || disordered <= allowed + staleResults) &&
      maxAttempts <= 4 &&
      committed.length > 0,
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
    duplicates,
    disordered,
    uncommittedAtKills: allowed,
    staleResults,
    mostAtOneKill: Math.max(0, ...kills.map(kill => kill.uncommitted)),
    maxAttempts,
  }
}

function lines(folder, name) {
  const text = readFileSync(join(folder, name), 'utf8')
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

/** Requests that start in order may arrive in another one, but not this much later. */
const LATE_MS = 1_000

/** Events of a number whose first request came long after the first one of a later event. */
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

function countBy(items, keyOfItem) {
  const counts = {}
  for (const item of items) counts[keyOfItem(item)] = (counts[keyOfItem(item)] ?? 0) + 1
  return counts
}
