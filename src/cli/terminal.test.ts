import { describe, expect, it, vi } from 'vitest'
import { printable, printResult, toJson } from './terminal.ts'

/** CSI in one character, escape, and the characters that turn the direction of text. */
const COMMANDING = ['\u001b', '\u009b', '\u007f', '\u061c', '\u200e', '\u200f', '\u202e', '\u2066', '\u2069', '\u2028']

describe('text from outside', () => {
  it.each(COMMANDING.map(each => [each.charCodeAt(0).toString(16), each]))(
    'with U+%s does not reach a terminal as it is',
    (_code, character) => {
      const value = { text: `a${character}b`, [`n${character}`]: ['👩‍👧 é\n'] }
      expect(printable(value.text!)).toBe('a\ufffdb')
      for (const indent of [undefined, 2]) {
        expect(toJson(value, indent)).not.toContain(character)
        expect(JSON.parse(toJson(value, indent))).toEqual(value)
      }
      const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
      printResult(true, value, () => '')
      expect(printed.mock.calls.join()).not.toContain(character)
      printed.mockRestore()
    },
  )
})
