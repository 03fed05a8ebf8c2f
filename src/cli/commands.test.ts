import { expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'

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
