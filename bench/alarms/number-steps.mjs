import { later } from '../shared/child.mjs'

const QUEUED = 1_050
/** The number reserved for the last step. */
const LEFT = 1

/** Faults of numbers, their sends and their events, one after the other. */
export const numberSteps = ({ numbers, receiver }) => [
  {
    alarms: ['PosternEndpointsFailing', 'PosternDeliveriesFail', 'PosternDeadLetters'],
    how: 'the endpoint answers 500 to every event of 15 sends',
    provoke: async () => {
      receiver.be('broken')
      await numbers.send(0, 15)
    },
    mend: async () => {
      receiver.be('well')
      for (let n = 0; n < 10; n++) await numbers.send(n, 1).catch(() => {})
    },
  },
  {
    alarms: ['PosternSendsFail'],
    how: 'the network rejects the messages of a number (400)',
    provoke: async () => {
      await numbers.fault('rejectMessages', numbers.digits[2], 400, 20)
      await numbers.send(2, 10)
    },
  },
  {
    alarms: ['PosternMessagesRefused'],
    how: 'eight messages to a contact that the network does not let the number write to (463)',
    provoke: () => numbers.sendRefused(3, 8),
  },
  {
    alarms: ['PosternNumberLoggedOut'],
    how: 'the phone unlinks the device',
    provoke: () => numbers.fault('streamError', numbers.digits[9], 'device_removed'),
  },
  {
    alarms: ['PosternNumberPaused', 'PosternNumbersWithoutLink'],
    how: 'the network bans a number for 20 s',
    provoke: () => numbers.fault('ban', numbers.digits[4], 20_000),
  },
  {
    alarms: ['PosternNumberReplaced'],
    how: 'the network reports that another process has taken over the device',
    provoke: () => numbers.fault('streamError', numbers.digits[5], 'replaced'),
  },
  {
    alarms: ['PosternLoginsRefusedByVersion'],
    how: 'the network refuses a login as outdated (405), and nothing newer is known',
    provoke: async () => {
      await numbers.fault('failLogins', numbers.digits[6], 405, 1)
      await numbers.fault('cut', numbers.digits[6])
    },
    mend: () => numbers.restart(6),
  },
  {
    alarms: ['PosternLoginsRefused'],
    how: 'the network refuses a login (400)',
    provoke: async () => {
      await numbers.fault('failLogins', numbers.digits[7], 400, 1)
      await numbers.fault('cut', numbers.digits[7])
    },
    mend: () => numbers.restart(7),
  },
  {
    alarms: ['PosternNumberSendsNothing'],
    how: 'the network rejects every message of a number (400), also after a new login',
    provoke: async () => {
      await numbers.fault('rejectMessages', numbers.digits[8], 400, 40)
      for (let n = 0; n < 12; n++) await numbers.send(8, 1, `155512340${10 + n}`)
    },
  },
  {
    alarms: ['PosternPlatformChanges'],
    how: 'the network turns on a change of its protocol',
    provoke: async () => {
      await numbers.fault('turnOnFlag', 21198)
      await numbers.fault('cut', numbers.digits[1])
    },
  },
  {
    alarms: ['PosternManyNumbersWithoutLink'],
    how: 'the network cuts every link and refuses connections for 25 s',
    provoke: async () => {
      for (const digits of numbers.digits) await numbers.fault('cut', digits, 25_000)
    },
  },
  {
    alarms: ['PosternNumbersNotHosted'],
    how: 'one number more than POSTERN_MAX_SESSIONS; repaired by removing another',
    // Two, because the number that was logged out before has freed a place.
    provoke: () => numbers.adoptSpares(),
    mend: () => numbers.remove(8),
  },
  {
    alarms: ['PosternDeliveriesLate'],
    how: 'the endpoint accepts requests and does not answer',
    provoke: async () => {
      receiver.be('silent')
      await numbers.send(1, 60)
    },
    mend: () => receiver.be('well'),
    patienceMs: 240_000,
  },
  {
    alarms: ['PosternSendQueueGrows', 'PosternSendsLate'],
    how: `${QUEUED} sends and more for a number without a link`,
    provoke: async () => {
      await numbers.fault('cut', numbers.digits[0], 150_000)
      await numbers.send(0, QUEUED)
      for (let n = 0; n < 20; n++) {
        await later(500)
        await numbers.send(0, 5)
      }
    },
    patienceMs: 240_000,
  },
  {
    alarms: ['PosternLinksLost'],
    how: 'the link of the only remaining number is cut whenever it is up; a restart reconnects it immediately',
    provoke: async () => {
      await numbers.keepOnly(LEFT)
      for (let n = 0; n < 24; n++) {
        await numbers.untilLinked(LEFT)
        await numbers.fault('cut', numbers.digits[LEFT])
        await numbers.untilCut(LEFT)
        await numbers.restart(LEFT)
      }
    },
  },
]
