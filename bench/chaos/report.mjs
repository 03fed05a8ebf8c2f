const SHOWN = 10

/** The counts, and whether the run passed. */
export function summarize({ seed, minutes, plan, faults, members, ledger, phones, balance, takeovers, client }) {
  const wrong = Object.fromEntries(Object.entries(balance).map(([name, found]) => [name, found.length]))
  const { all, calm, waiting } = takeovers.summary(faults.done)
  const enough = faults.done.length >= Math.floor(minutes * 15)
  return {
    passed: enough && ledger.incoming.size > 0 && Object.values(wrong).every(count => count === 0),
    seed,
    faults: faults.done.length,
    planned: plan.length,
    faultsOf: countBy(faults.done, ({ kind }) => kind),
    faultsAt: countBy(faults.done, ({ role }) => role),
    accepted: ledger.accepted().length,
    onPhones: phones.length,
    repeatsAtPhones: phones.reduce((sum, { copies }) => sum + copies - 1, 0),
    received: ledger.incoming.size,
    events: ledger.delivered.size,
    posts: ledger.posts,
    ...wrong,
    receiptsMissing: ledger.unconfirmed().length,
    disconnectedTold: ledger.connections.disconnected,
    answers: Object.fromEntries([...client.statuses].sort(([a], [b]) => a - b)),
    endedByThemselves: members.flatMap(({ process }) => process.ownEnds).length,
    wouldNotEnd: members.reduce((sum, { process }) => sum + process.stubborn, 0),
    takeovers: all.count,
    takeoverP50Ms: all.p50Ms,
    takeoverP99Ms: all.p99Ms,
    takeoverMaxMs: all.maxMs,
    calmTakeovers: calm.count,
    calmTakeoverP99Ms: calm.p99Ms,
    neverTakenOver: waiting,
  }
}

/** Prints the counts, then some of the violations. */
export function print(result, { balance, members }) {
  for (const [name, value] of Object.entries(result)) {
    console.log(`${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
  }
  for (const [name, found] of Object.entries(balance)) {
    for (const each of found.slice(0, SHOWN)) console.log(`  ${name}: ${each}`)
    if (found.length > SHOWN) console.log(`  ${name}: and ${found.length - SHOWN} more`)
  }
  for (const end of members.flatMap(({ process }) => process.ownEnds)) console.log(`  ended unexpectedly: ${end}`)
}

function countBy(items, keyOf) {
  const counts = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}
