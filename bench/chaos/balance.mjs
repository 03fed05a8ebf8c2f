/**
 * Violations of the guarantees, each with the items concerned. `phones`: the messages on each phone,
 * newest first.
 */
export function balance({ ledger, phones, overview }) {
  const held = groupBy(phones, ({ text }) => text)
  const accepted = ledger.accepted()
  return {
    lost: [
      ...accepted.filter(key => !held.has(key)).map(key => `not on its phone: ${key}`),
      ...ledger.undelivered().map(name => `never delivered: ${name}`),
    ],
    doubled: [...held].filter(([, copies]) => copies.length > 1).map(([text]) => text),
    outOfOrder: outOfOrder(ledger, phones),
    wrongAccount: [
      ...ledger.foreign,
      ...phones
        .filter(({ text, contact }) => ledger.sends.get(text)?.contact !== contact)
        .map(({ text, contact }) => `${text} on the phone of ${contact}`),
      ...Array.from({ length: ledger.unsigned }, () => 'an invalid signature'),
    ],
    failed: ledger.failures,
    refused: [...ledger.sends.values()].map(({ refused }) => refused).filter(refused => refused !== null),
    givenUp: [
      ...Array.from({ length: overview.dead_letters }, () => 'a delivery'),
      ...overview.poison.numbers.map(({ session_id, count }) => `${count} that ${session_id} received`),
    ],
  }
}

/** Messages that arrived before an earlier one of the same chat. */
function outOfOrder(ledger, phones) {
  const late = []
  for (const [, messages] of groupBy(phones, ({ contact }) => contact)) {
    let next = Number.POSITIVE_INFINITY
    for (const { text } of messages) {
      const { serial } = ledger.sends.get(text) ?? { serial: next }
      if (serial > next) late.push(text)
      next = Math.min(next, serial)
    }
  }
  return late
}

function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
