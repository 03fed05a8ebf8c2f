import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { completion } from './completion.ts'

const inBash = (...words: string[]): string[] => {
  const typed = words.map(word => `'${word}'`).join(' ')
  const script = `${completion('bash', COMMANDS)}
COMP_WORDS=(postern ${typed}); COMP_CWORD=${words.length}; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean)
}

describe('completion', () => {
  it.each([
    [['sta'], ['start', 'status']],
    [
      ['deliveries', 're'],
      ['resend', 'replay'],
    ],
    [
      ['trigger', 'poll'],
      ['poll', 'poll_vote'],
    ],
    [['listen', '--f'], ['--forward-to']],
    [['keys', 'revoke', 'key_1', '--js'], ['--json']],
    [['trigger', 'message', '--sess'], ['--session']],
  ])('bash completes %j', (words, found) => {
    expect(inBash(...words)).toEqual(found)
  })

  it('zsh and fish have their own scripts, and other shells are rejected', () => {
    expect(completion('zsh', COMMANDS)).toMatch(/^#compdef postern\n/)
    expect(completion('fish', COMMANDS)).toContain(
      "complete -c postern -n '__fish_seen_subcommand_from deliveries' -a resend",
    )
    expect(() => completion('cmd', COMMANDS)).toThrow('choose one of bash, zsh, fish')
  })
})
