import { describe, expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { readArguments } from './read-arguments.ts'

const read = (line: string) => readArguments(line.split(' ').filter(Boolean), COMMANDS)

describe('the arguments', () => {
  it.each([
    ['', undefined, [], {}],
    ['--help', undefined, [], { help: true }],
    ['status --json', 'status', [], { json: true }],
    ['--json status', 'status', [], { json: true }],
    ['deliveries show dlv_1', 'deliveries show', ['dlv_1'], {}],
    ['sessions', 'sessions', [], {}],
    ['sessions 999@s.whatsapp.net', 'sessions', ['999@s.whatsapp.net'], {}],
    ['trigger -h', 'trigger', [], { help: true }],
    ['send --to=+1 --text hi', 'send', [], { to: '+1', text: 'hi' }],
    ['send --text=-5', 'send', [], { text: '-5' }],
  ])('%j is understood', (line, name, words, values) => {
    const found = read(line)
    expect([found.command?.name, found.words, found.values]).toEqual([name, words, values])
  })

  it.each([
    ['staus', 'there is no command "staus". Run `postern --help` for the list. Did you mean "status"?'],
    ['serve', 'there is no command "serve". Run `postern --help` for the list.'],
    ['keys', 'keys needs one more word: create, list, revoke.'],
    ['keys revok key_1', 'there is no command "keys revok": create, list, revoke. Did you mean keys revoke?'],
    ['keys revoke', '<id> is missing. Write `postern keys revoke <id>`.'],
    ['status now', '"now" is one argument too many. See `postern status --help`.'],
    ['send --to', '--to needs a value.'],
    ['send --to --json', '--to needs a value. Write a value that begins with a dash as --to=--json'],
    ['status --json=yes', '--json takes no value. Write --json alone.'],
    ['send --txt hi', "Unknown option '--txt'. Did you mean --text? Run `postern send --help` for its options."],
    ['status --forward-to x', "Unknown option '--forward-to'. Run `postern status --help` for its options."],
    ['start __proto__', '"__proto__" is one argument too many. See `postern start --help`.'],
  ])('%j is rejected with a text that says how to correct it', (line, says) => {
    expect(() => read(line)).toThrow(says)
  })

  it('every command has its help, which begins with its name', async () => {
    for (const { name, load } of COMMANDS) {
      const { help } = await load()
      expect(help.startsWith(`postern ${name}`), name).toBe(true)
    }
  })

  it('every option is explained in the help of its command', async () => {
    for (const { name, options, load } of COMMANDS) {
      const { help } = await load()
      for (const option of Object.keys(options)) expect(help, name).toContain(`--${option}`)
    }
  })
})
