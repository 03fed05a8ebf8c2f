import { startSimulator } from '@postern/simulator'
import { answerParent } from '../shared/child.mjs'
import { addressOf, pairNumbers } from '../shared/pair-numbers.mjs'
import { BAN_MS } from './troubles.mjs'

/** The simulated network: every contact has three devices, one of them dead. */
let simulator
let contacts

async function open() {
  simulator = await startSimulator({ heldMessages: 1_000_000 })
  return addressOf(simulator)
}

const pair = numbers => pairNumbers(simulator, numbers, 4)

const isHidden = digits => digits.endsWith('0461')

/** Returns the address of each contact: the hidden id if the number is hidden. */
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

/** Cuts all links and requires a newer version from then on. */
function age(numbers) {
  simulator.faults.ageVersions()
  for (const number of numbers) simulator.faults.cut(number)
}

/** The messages on phones, and whether the other live device has them too. */
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
