import { readFileSync } from 'node:fs'
import type { Shape } from '#recorder/shape'
import { sayEverything } from '../harness/say-everything.ts'
import { until } from '../harness/until.ts'
import type { Hosted, Rig } from '../harness/whatsapp-rig.ts'
import type { FieldRig } from './field-rig.ts'
import { answersTo, type ReadRecording, saidByServer } from './read-recording.ts'

interface People {
  digits: string
  ana: string
  bob: string
}

/** Scenes of the sandbox that are worth a recording. */
export const SCENES: Record<string, (rig: Rig, number: Hosted, people: People) => Promise<void>> = {
  'sandbox-everything': (rig, number, people) => sayEverything(rig, number, { ...people, mark: 'mark' }),

  'sandbox-unreadable': async ({ simulator }, number, people) => {
    const [ana, bob] = [simulator.phone(people.ana), simulator.phone(people.bob)]
    const group = simulator.group({ subject: 'Group', owner: people.ana, members: [people.digits, people.bob] })
    simulator.faults.tamper(people.digits, 3)
    await ana.sendTo(people.digits, { type: 'text', text: 'one' })
    await bob.sendTo(people.digits, { type: 'text', text: 'two' }, { addressing: 'lid' })
    await bob.sendTo(group.jid, { type: 'text', text: 'three' })
    await number.until(() => number.events.filter(({ kind }) => kind === 'message').length === 3)
  },

  'sandbox-away': async ({ simulator }, number, people) => {
    const ana = simulator.phone(people.ana)
    const group = simulator.group({
      subject: 'Group',
      owner: people.ana,
      members: [people.digits, people.bob],
      addressing: 'lid',
    })
    await ana.sendTo(people.digits, { type: 'text', text: 'before' })
    simulator.faults.cut(people.digits, 60_000)
    for (let n = 0; n < 5; n++)
      await ana.sendTo(people.digits, { type: 'text', text: `away ${n}` }, { addressing: 'lid' })
    await simulator.phone(people.bob).sendTo(group.jid, { type: 'text', text: 'away' })
    const call = await ana.call(people.digits)
    await ana.hangUp(call.id)
    simulator.faults.cut(people.digits, 0)
    await number.until(() => number.events.filter(({ kind }) => kind === 'message').length === 7)
  },
}

/** Records a scene; returns the path of its recording once everything in it is answered. */
export async function recordScene(field: FieldRig, name: string): Promise<string> {
  const digits = field.digits()
  const number = await field.rig.link(digits)
  const people = { digits, ana: `1555${digits.slice(-7)}`, bob: `1556${digits.slice(-7)}` }
  await SCENES[name]!(field.rig, number, people)
  await until(() => isAnswered(field.recordingOf(digits)))
  await number.close()
  // The rest is written when the connection has ended.
  await until(() => readFileSync(field.pathOf(digits), 'utf8').trimEnd().endsWith('"ended":true}'))
  return field.pathOf(digits)
}

function isAnswered({ lines }: ReadRecording): boolean {
  const said = saidByServer(lines).filter(({ attrs }) => attrs?.['id'] !== undefined)
  const isFinal = ({ attrs }: Shape): boolean => attrs?.['type'] !== 'retry' && attrs?.['error'] === undefined
  return said.length > 0 && said.every(line => answersTo(line, lines).some(isFinal))
}
