import { readFileSync } from 'node:fs'

/**
 * A second implementation that shares no code with the guard: it writes an address as a string of bits and compares
 * prefixes with the registries of IANA.
 */
export interface Block {
  readonly block: string
  readonly name: string
  readonly global: boolean
  readonly carriesIPv4?: boolean
}
interface BitBlock extends Block {
  readonly bits: string
}

const registries = JSON.parse(readFileSync(new URL('./iana-special-purpose.json', import.meta.url), 'utf8')) as {
  readonly ipv4: readonly Block[]
  readonly ipv6: readonly Block[]
}
export const blocks = { ipv4: registries.ipv4.map(withBits), ipv6: registries.ipv6.map(withBits) }

export type Opinion = 'forbidden' | 'ordinary' | 'special but global'

export function opinionOf(bits: string): Opinion {
  const entries = (bits.length === 32 ? blocks.ipv4 : blocks.ipv6).filter(entry => bits.startsWith(entry.bits))
  // The most specific entry decides, as the registries say.
  const narrowest = entries.reduce<BitBlock | undefined>(
    (best, entry) => (best && best.bits.length >= entry.bits.length ? best : entry),
    undefined,
  )
  if (narrowest?.carriesIPv4) return opinionOf(bits.slice(96))
  if (narrowest) return narrowest.global ? 'special but global' : 'forbidden'
  if (bits.length === 32) return 'ordinary'
  // Outside 2000::/3 IANA has allocated nothing for the internet.
  return bits.startsWith('001') ? 'ordinary' : 'forbidden'
}

export function bitsOf(address: string): string {
  if (!address.includes(':'))
    return address
      .split('.')
      .map(part => Number(part).toString(2).padStart(8, '0'))
      .join('')
  const [left = '', right] = address.split('::')
  const head = groups(left)
  const tail = right === undefined ? [] : groups(right)
  const middle = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...middle, ...tail].map(group => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('')
}

export function textOf(bits: string): string {
  if (bits.length === 32) return (bits.match(/.{8}/g) ?? []).map(octet => Number.parseInt(octet, 2)).join('.')
  return (bits.match(/.{16}/g) ?? []).map(group => Number.parseInt(group, 2).toString(16)).join(':')
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}

function withBits(entry: Block): BitBlock {
  const [address = '', length] = entry.block.split('/')
  return { ...entry, bits: bitsOf(address).slice(0, Number(length)) }
}
