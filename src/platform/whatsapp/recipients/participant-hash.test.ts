import { expect, test } from 'vitest'
import { participantHash } from './participant-hash.ts'

test.each([
  ['2:5s+YxCff', ['5511999999999:3@s.whatsapp.net']],
  ['2:RJWVxcMQ', ['5511999999999@s.whatsapp.net']],
  ['2:AAv/hwhn', ['7469250125917:21@s.whatsapp.net', '5511988887777:14@s.whatsapp.net']],
  ['2:47DEQpj8', []],
])('the hash %s is the one that the platform computes of these devices', (hash, devices) =>
  expect(participantHash(devices)).toBe(hash),
)
