import { expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { groupHelp, mainHelp } from './main.ts'
import { readArguments } from './read-arguments.ts'
import { start } from './start.ts'

/** What they print has a form of its own: lines of the log, a protocol, a script. */
const OWN_FORM = ['start', 'mcp', 'completion']

it.each(COMMANDS.filter(({ name }) => !OWN_FORM.includes(name)).map(each => [each.name, each] as const))(
  '%s takes --json, and its help says so',
  async (_, { options, load }) => {
    expect(Object.keys(options)).toContain('json')
    expect((await load()).help).toContain('--json')
  },
)

it.each(COMMANDS.map(each => [each.name, each] as const))('the help of %s names every option', async (_, command) => {
  const { help } = await command.load()
  for (const name of Object.keys(command.options)) expect(help).toContain(`--${name}`)
})

const GROUP_NAMES = [...new Set(COMMANDS.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0]!] : [])))].filter(
  // `postern sessions` is a command too, with a help of its own.
  name => COMMANDS.every(each => each.name !== name),
)

it('every help fits into 80 columns', async () => {
  const helps = await Promise.all(COMMANDS.map(async ({ load }) => (await load()).help))
  const lines = [mainHelp(), ...GROUP_NAMES.map(groupHelp), ...helps].flatMap(help => help.split('\n'))
  expect(lines.filter(line => line.length > 80)).toEqual([])
})

it('an error of start names the option that the user typed', async () => {
  await expect(start({ roles: 'foo' }, {})).rejects.toThrow('--roles names "foo". Choose from: ')
})

it.each(GROUP_NAMES)('%s --help lists its commands, and so does help %s', name => {
  for (const args of [
    [name, '--help'],
    [name, '-h'],
    ['help', name],
  ])
    expect(readArguments(args, COMMANDS)).toMatchObject({ command: undefined, group: name })
  for (const command of COMMANDS.filter(each => each.name.startsWith(`${name} `)))
    expect(groupHelp(name)).toContain(`  postern ${command.name} `)
})

it.each(COMMANDS.map(({ name }) => [name] as const))('help %s is its help', name => {
  expect(readArguments(['help', ...name.split(' ')], COMMANDS)).toMatchObject({
    command: { name },
    values: { help: true },
  })
})
