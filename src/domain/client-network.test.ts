import { describe, expect, it } from 'vitest'
import { addressOf, networkOf } from './client-network.ts'

describe('one client has one address, however it is written', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[203.0.113.7]:5678', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['[::1]', '0:0:0:0:0:0:0:1'],
    ['[::1]:99', '0:0:0:0:0:0:0:1'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['2001:db8::7', '2001:db8:0:0:0:0:0:7'],
    ['2001:0DB8:0000:0000:0000:0000:0000:0007', '2001:db8:0:0:0:0:0:7'],
    ['[2001:db8::7]:65535', '2001:db8:0:0:0:0:0:7'],
    ['2001:db8::203.0.113.7', '2001:db8:0:0:0:0:cb00:7107'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['[fe80::1%eth0]:99', 'fe80:0:0:0:0:0:0:1'],
    ['fe80::1%25en0', 'fe80:0:0:0:0:0:0:1'],
  ])('%s', (written, address) => {
    expect(addressOf(written)).toBe(address)
    expect(addressOf(address)).toBe(address)
  })
})

describe('a text that is not an address is rejected', () => {
  it.each([
    '',
    'unknown',
    '_hidden',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4:',
    '1.2.3.4:123456',
    '256.1.1.1',
    '[::1',
    '::1]',
    '[]',
    '1::2::3',
    'localhost:80',
  ])('%j', written => {
    expect(addressOf(written)).toBeUndefined()
    expect(networkOf(written)).toBe(written)
  })
})

describe('a network is an IPv4 address, or a /64', () => {
  it.each([
    ['203.0.113.7:1', '203.0.113.7:2', true],
    ['203.0.113.7', '::ffff:203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['2001:db8:1:2::1', '[2001:DB8:1:2:ffff::]:443', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['fe80::1%eth0', 'fe80::2%eth1', true],
  ])('%s and %s: %s', (one, other, isSame) => {
    expect(networkOf(one) === networkOf(other)).toBe(isSame)
  })
})
