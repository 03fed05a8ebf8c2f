import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { COMMANDS } from '../src/cli/commands.ts'
import { firstSteps } from '../src/cli/first-steps.ts'
import { readArguments } from '../src/cli/read-arguments.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending))
    .map(name => join(folder, name))

const PAGES = ['README.md', 'CONTRIBUTING.md', 'sdk/README.md', ...filesIn('docs', '.md')]
const PACKAGES = ['package.json', 'portal/package.json', 'sdk/package.json', 'integrations/n8n/package.json']
const SCRIPTS = new Set(PACKAGES.flatMap(path => Object.keys(JSON.parse(read(path)).scripts ?? {})))

interface Documented {
  where: string
  line: string
  /** A name within a sentence needs none of the words that have to follow it. */
  isMention: boolean
}

const POSTERN = /^(?:docker exec \S+ )?(?:npx )?(?:postern|node (?:\S*\/)?bin\/postern\.mjs)(?= |$)/
const isCommand = (text: string): boolean => POSTERN.test(text) || /^npm (?:run|test|start)\b/.test(text)

/** The commands of a script: continued lines are joined, comments and variables before a command are left out. */
const commandsIn = (script: string): string[] =>
  script
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(line => line.replace(/(^|\s)#.*$/, '').split(/&&|\|\||[;&|](?=\s|$)/))
    .map(command => command.trim().replace(/^(?:\$ )?(?:sudo )?(?:[A-Z_]+=\S* )*/, ''))
    .filter(isCommand)

function documentedOn(path: string): Documented[] {
  const text = read(path)
  const blocks = [...text.matchAll(/^ *```(?:bash|sh|console|)\n([^]*?)^ *```/gm)].map(match => match[1]!)
  const prose = text.replace(/^ *```[^]*?^ *```/gm, '')
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(match => match[1]!.replace(/\s+/g, ' '))
  return [
    ...blocks.flatMap(commandsIn).map(line => ({ where: path, line, isMention: false })),
    ...spans.flatMap(commandsIn).map(line => ({ where: path, line, isMention: true })),
  ]
}

const named = (path: string, pattern: RegExp): Documented[] =>
  [...read(path).matchAll(pattern)].map(match => ({ where: path, line: match[1]!, isMention: true }))

const portalFiles = [...filesIn('portal/src', '.tsx'), ...filesIn('portal/src', '.ts')].filter(
  path => !path.includes('/texts/'),
)
const firstBlock = firstSteps({
  accountId: 'acc_1',
  key: 'ptn_x',
  number: { id: '999100:1@s.whatsapp.net', jid: '999100@s.whatsapp.net' },
  sandbox: true,
  url: 'http://127.0.0.1:8080',
  postern: 'npx postern',
  folder: '/srv/postern',
})

const DOCUMENTED: Documented[] = [
  ...PAGES.flatMap(documentedOn),
  ...commandsIn(firstBlock.replace(/ {2}(?:shows|posts) .*/g, '')).map(line => ({
    where: 'the first start',
    line,
    isMention: false,
  })),
  ...named('.env.example', /`(postern [^`]+)`/g),
  ...portalFiles.flatMap(path => named(path, /(?:<code[^>]*>|with: )(postern [^<'`]+)/g)),
]

/** As a shell would: quotes hold words together. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))

/** What is wrong with it, or nothing. */
function wrongWith({ line, isMention }: Documented): string | undefined {
  if (line.startsWith('npm ')) {
    const script = /^npm (?:run )?([\w:-]+)/.exec(line)![1]!
    return SCRIPTS.has(script) ? undefined : `there is no script ${script}`
  }
  const args = wordsOf(line.replace(POSTERN, ''))
  if (args[0] === '<command>') return undefined
  const isName = isMention && args.every(arg => /^[a-z-]+$/.test(arg) && !arg.startsWith('-'))
  try {
    const { command, words } = readArguments(isName ? [...args, '--help'] : args, COMMANDS)
    if (command?.choices === undefined || words[0] === undefined || isName) return undefined
    return command.choices.includes(words[0]) ? undefined : `${words[0]} is none of ${command.choices.join(', ')}`
  } catch (error) {
    return (error as Error).message
  }
}

it('the pages, the first start, .env.example and the portal name commands', () => {
  expect(DOCUMENTED.length).toBeGreaterThan(80)
  expect(new Set(DOCUMENTED.map(({ where }) => where)).size).toBeGreaterThan(15)
})

it('every command that is documented is one that the command line takes', () => {
  const wrong = DOCUMENTED.flatMap(each => {
    const said = wrongWith(each)
    return said === undefined ? [] : [`${each.where}: ${each.line}: ${said}`]
  })
  expect(wrong).toEqual([])
})

it.each([
  ['postern backup copy.db more', /one argument too many/],
  ['npx postern send --txt x', /Unknown option '--txt'/],
  ['postern trigger nothing', /is none of message/],
  ['npm run nothing', /no script/],
])('%s would be found', (line, said) => {
  expect(wrongWith({ where: '', line, isMention: false })).toMatch(said)
})
