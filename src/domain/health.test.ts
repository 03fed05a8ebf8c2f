import { expect, test } from 'vitest'
import { banChange, healthStatus, newChatsChange, restrictionChange } from './health.ts'
import type { NewChatCap } from './session.ts'

const NOW = 1_000_000_000
const HOUR = 3_600_000
const cap = (status: NewChatCap['status'], untilMs: number | null = NOW + HOUR): NewChatCap => ({
  status,
  limit: 50,
  used: 40,
  untilMs,
  asOfMs: NOW,
})
const ban = (untilMs: number | null) => ({ reason: 'banned', untilMs, asOfMs: NOW })

test.each([
  [{}, 'good'],
  [{ newChatCap: cap('second_warning') }, 'warned'],
  [{ newChatCap: cap('capped') }, 'restricted'],
  [{ newChatCap: cap('capped', NOW - 1) }, 'good'],
  [{ restrictedUntil: NOW + 1, newChatCap: cap('first_warning') }, 'restricted'],
  [{ restrictedUntil: NOW - 1 }, 'good'],
  [{ ban: ban(null), restrictedUntil: NOW + 1 }, 'banned'],
  [{ ban: ban(NOW - 1) }, 'good'],
])('the health of a number with %j is %s: the worst that holds now', (given, status) =>
  expect(healthStatus({ restrictedUntil: null, newChatCap: null, ban: null, ...given }, NOW)).toBe(status),
)

test('a restriction is told when it begins, changes or ends, and not when it is repeated', () => {
  const lock = { untilMs: NOW + HOUR, type: null }
  expect(restrictionChange(null, lock, NOW)).toBe('restricted')
  expect(restrictionChange(lock, { ...lock, untilMs: lock.untilMs + 50_000 }, NOW)).toBeNull()
  expect(restrictionChange(lock, { ...lock, untilMs: lock.untilMs + HOUR }, NOW)).toBe('restricted')
  expect(restrictionChange(lock, { ...lock, type: 'restrict_all_companions' }, NOW)).toBe('restricted')
  expect(restrictionChange(lock, lock, NOW + 2 * HOUR)).toBe('restricted')
  expect(restrictionChange(lock, null, NOW)).toBe('lifted')
  expect(restrictionChange(null, null, NOW)).toBeNull()
})

test('the budget of new chats is told when its status changes', () => {
  expect(newChatsChange(null, cap('none'), NOW)).toBeNull()
  expect(newChatsChange(null, cap('first_warning'), NOW)).toBe('warned')
  expect(newChatsChange(cap('first_warning'), cap('second_warning'), NOW)).toBe('warned')
  expect(newChatsChange(cap('second_warning'), cap('capped'), NOW)).toBe('restricted')
  expect(newChatsChange(cap('capped'), cap('capped'), NOW)).toBeNull()
  expect(newChatsChange(cap('capped'), cap('none'), NOW)).toBe('lifted')
  expect(newChatsChange(cap('capped'), cap('none'), NOW + 2 * HOUR)).toBe('lifted')
  expect(newChatsChange(cap('first_warning'), cap('first_warning', NOW + 9 * HOUR), NOW + 2 * HOUR)).toBe('warned')
})

test('a ban is told when it begins, is prolonged or ends', () => {
  expect(banChange(null, ban(null))).toBe('banned')
  expect(banChange(ban(null), ban(null))).toBeNull()
  expect(banChange(ban(NOW), ban(NOW + HOUR))).toBe('banned')
  expect(banChange(ban(NOW), null)).toBe('lifted')
  expect(banChange(null, null)).toBeNull()
})
