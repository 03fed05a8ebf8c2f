import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { failuresOf } from './receiver.mjs'

/** Compares the attempted and committed events with the delivered and dead ones. */
export function balance({ folder, ledger, traffic, dead, kills, staleResults, crashes }) {
  const { received, faults } = ledger
  const tried = new Map(lines(folder, 'tried'))
  const committed = new Set(lines(folder, 'committed').map(([id]) => id))
  const deadIds = new Set(dead.map(row => row.id))
  const bulk = [...received].filter(([, { event }]) => event === undefined)
  const front = [...received].filter(([, { event }]) => event !== undefined)
  const accepted = new Set([...received].filter(([, entry]) => entry.accepted > 0).map(([id]) => id))
  const allowed = kills.reduce((sum, { uncommitted }) => sum + uncommitted, 0)
  const unreported = traffic.unreported()
  const counts = {
    lost: [...committed].filter(id => !accepted.has(id) && !deadIds.has(id)).length + unreported.length,
    unexpected:
      bulk.filter(([id]) => !tried.has(id)).length + front.filter(([, { event }]) => !traffic.isExpected(event)).length,
    altered: [
      ...bulk.filter(([id, { hashes }]) => hashes.size > 1 || !hashes.has(tried.get(id))),
      ...front.filter(([, { hashes }]) => hashes.size > 1),
    ].length,
    wrongSignature: faults.unsigned,
    wrongEndpoint: faults.foreign,
    wronglyDead: dead.filter(row => failuresOf(row.id) === 0 && !accepted.has(row.id)).length,
    crashes,
  }
  const duplicates = [...received].reduce((sum, [id, { posts }]) => sum + extra(id, posts), 0)
  const maxAttempts = Math.max(0, ...dead.map(row => JSON.parse(row.attempts).length))
  const nothingWrong = Object.values(counts).every(count => count === 0)
  return {
    passed: nothingWrong && duplicates <= allowed + staleResults && maxAttempts <= 4 && committed.size > 0,
    tried: tried.size,
    committed: committed.size,
    delivered: accepted.size,
    dead: deadIds.size,
    recovered: [...accepted].filter(id => tried.has(id) && !committed.has(id)).length,
    messagesAccepted: traffic.accepted.size,
    eventsOfMessages: front.length,
    ...counts,
    kills: kills.length,
    killsOf: countBy(kills, kill => kill.name),
    duplicates,
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
function extra(id, posts) {
  const failures = failuresOf(id)
  return Math.max(0, posts - (failures === Number.POSITIVE_INFINITY ? 4 : failures + 1))
}

function countBy(items, keyOf) {
  const counts = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}
