import { describe, expect, it } from 'vitest'
import { parseDotEnv } from './dot-env.ts'

describe('.env', () => {
  it.each([
    ['', []],
    ['# a comment\n\n  \n', []],
    ['A=1', [['A', '1']]],
    [
      'A = 1 \r\nexport B=2',
      [
        ['A', '1'],
        ['B', '2'],
      ],
    ],
    ['A=', [['A', '']]],
    ['A=b#c # a comment', [['A', 'b#c']]],
    ['A= # nothing', [['A', '']]],
    ['A="b # c" # a comment', [['A', 'b # c']]],
    ['A=\'$B "c"\'', [['A', '$B "c"']]],
    [
      'A="one\ntwo"\nB=3',
      [
        ['A', 'one\ntwo'],
        ['B', '3'],
      ],
    ],
    ['A=x=y', [['A', 'x=y']]],
    ['\uFEFFA=1', [['A', '1']]],
  ])('%j', (text, found) => {
    expect(parseDotEnv(text)).toEqual(found)
  })

  it.each([
    ['A=1\nsecret', '.env: line 2 is not NAME=value. Correct it, or begin it with #.'],
    ['=secret', '.env: line 1 is not NAME=value. Correct it, or begin it with #.'],
    ['A="secret\nmore', '.env: the quote that line 1 begins has no end. Close it.'],
    ['A="secret" more', '.env: the quote that line 1 begins has no end. Close it.'],
  ])('%j is refused without a word of it', (text, says) => {
    expect(() => parseDotEnv(text)).toThrow(says)
  })
})
