import { describe, expect, it } from 'vitest'
import { DeviceKeys } from './device-keys.ts'

const OLD = Uint8Array.of(1)
const NEW = Uint8Array.of(2)
const change = (value: Uint8Array | null) => [{ category: 'session', id: 'a', value }]

describe('the keys of a device', () => {
  it('are what was written last, also before that is durable', () => {
    const keys = new DeviceKeys()
    expect(keys.get('session', 'a')).toBeUndefined()
    expect(keys.fill('session', 'a', OLD)).toBe(OLD)
    const write = keys.write(change(NEW))
    expect(keys.get('session', 'a')).toBe(NEW)
    write.committed()
    expect(keys.get('session', 'a')).toBe(NEW)
  })

  it('that were removed are known to be gone, whatever a read finds that began before', () => {
    const keys = new DeviceKeys()
    keys.write(change(null)).committed()
    expect(keys.get('session', 'a')).toBeNull()
    expect(keys.fill('session', 'a', OLD)).toBeNull()
  })

  it.each([
    ['the first', ['inDoubt', 'committed']],
    ['the second', ['committed', 'inDoubt']],
  ] as const)('are read again where the outcome of %s of two writes is unknown', (_, [first, second]) => {
    const keys = new DeviceKeys()
    const writes = [keys.write(change(OLD)), keys.write(change(NEW))] as const
    writes[1][second]()
    expect(keys.get('session', 'a')).toBe(NEW)
    writes[0][first]()
    expect(keys.get('session', 'a')).toBeUndefined()
  })

  it('include no pre-keys that are durable: they are read again, and a removed one is known to be gone', () => {
    const keys = new DeviceKeys()
    keys.write([{ category: 'pre-key', id: '1', value: NEW }]).committed()
    expect(keys.get('pre-key', '1')).toBeUndefined()
    keys.write([{ category: 'pre-key', id: '1', value: null }]).committed()
    expect(keys.get('pre-key', '1')).toBeNull()
  })

  it('stay while they are being written, however many others are used', () => {
    const keys = new DeviceKeys()
    const write = keys.write(change(NEW))
    for (let i = 0; i < 1_000; i++) keys.fill('pre-key', String(i), OLD)
    expect(keys.get('session', 'a')).toBe(NEW)
    expect(keys.get('pre-key', '0')).toBeUndefined()
    write.committed()
  })
})
