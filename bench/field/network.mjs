import { startSimulator } from '@postern/simulator'
import { systemClock } from '../../dist/clock.js'
import { createWhatsApp } from '../../dist/platform/whatsapp/whatsapp.js'
import { answerParent, eachOf } from '../shared/child.mjs'
import { BAN_MS } from './troubles.mjs'

/** The simulated network at its hardest: every contact has three devices of which one is dead. */
let simulator
let contacts

async function open() {
  simulator = await startSimulator({ heldMessages: 1_000_000 })
  const { url, rootKey, mediaCa, mediaHost, clientVersion } = simulator
  return { url, rootKey, mediaCa, mediaHost, clientVersion }
}

/** Links a device to each of the numbers, and leaves it to others to log it in. */
async function pair(numbers) {
  const { url, rootKey, mediaCa, mediaHost } = simulator
  const platform = await createWhatsApp({
    clock: systemClock,
    network: { kind: 'sandbox', url, rootKey, mediaCa, mediaHost },
    ackTimeoutMs: 5_000,
  })
  const never = new AbortController().signal
  return await eachOf(numbers, 4, number =>
    platform.pair({ method: 'qr' }, step => step.kind === 'qr' && void simulator.linkByQr(step.qr, number), never),
  )
}

const isHidden = digits => digits.endsWith('0461')

/** Answers how each is written to: who shows no number, by hidden id alone. */
function people(digits) {
  contacts = digits.map(number => simulator.phone(number))
  for (const [i, phone] of contacts.entries()) {
    phone.linkCompanion()
    const [, dead] = [0, ...phone.companions()]
    phone.loseDevice(dead, i % 2 === 0 ? 'error' : 'omitted')
  }
  return contacts.map(phone => (isHidden(phone.digits) ? phone.lid : phone.jid))
}

const groups = wanted => wanted.map(({ owner, members }) => simulator.group({ subject: 'Field', owner, members }).jid)

function trouble({ number, kind, code, times, error }) {
  if (kind === 'ban') return simulator.faults.ban(number, BAN_MS)
  if (kind === 'stream') return simulator.faults.streamError(number, error)
  simulator.faults.failLogins(number, code, times)
  simulator.faults.cut(number)
}

/** All numbers lose their links, and come back to a platform that takes only a newer version. */
function age(numbers) {
  simulator.faults.ageVersions()
  for (const number of numbers) simulator.faults.cut(number)
}

/** Who holds what: the phone, and the living device beside it. */
const held = () =>
  contacts.flatMap(phone => {
    const alive = phone.companions().at(-1)
    return phone.inbox().map(({ id, fromMe, copies }) => ({ id, fromMe, copies, onOther: phone.hasRead(id, alive) }))
  })

answerParent({
  open,
  pair,
  people,
  groups,
  trouble,
  age,
  held,
  logins: numbers => numbers.map(number => simulator.faults.logins(number)),
  earlyLogins: numbers => numbers.reduce((sum, number) => sum + simulator.faults.earlyLogins(number), 0),
})
