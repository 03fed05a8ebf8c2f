import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A program accepts a database only if the checksums of these are the ones that it knows. */
const MIGRATIONS = 'src/store/migrations'
/** A program that selects all columns of a table fails when a later version adds one. */
const ASKS_FOR_ALL = ['[`\'"]select \\* from [a-z]', '--', 'src/store']

const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The oldest commit with the same migrations whose program can run beside a later one. */
export function oldestCommit() {
  const migrationsOf = commit => git('rev-parse', `${commit}:${MIGRATIONS}`)
  const own = migrationsOf('HEAD')
  let oldest = 'HEAD'
  for (const commit of git('rev-list', '--first-parent', 'HEAD').split('\n')) {
    if (migrationsOf(commit) !== own || asksForAll(commit)) break
    oldest = commit
  }
  return git('rev-parse', '--short', oldest)
}

function asksForAll(commit) {
  try {
    git('grep', '-q', ASKS_FOR_ALL[0], commit, ...ASKS_FOR_ALL.slice(1))
    return true
  } catch {
    return false
  }
}

/** Builds the program of a commit, or of the working copy, in a folder; `later`: tables that it adds a column to. */
export function buildVersion(folder, { commit, later = [] }) {
  mkdirSync(folder, { recursive: true })
  const files = commit === undefined ? 'git ls-files -z | tar --null -T - -c' : `git archive ${commit}`
  execFileSync('sh', ['-c', `${files} | tar -x -C "$1"`, 'sh', folder], { cwd: ROOT })
  if (later.length > 0) addMigration(folder, later)
  linkPackages(folder)
  for (const part of [...workspacesOf(folder), '.']) {
    runNode(folder, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(folder, part, 'tsconfig.build.json'))
  }
  runNode(folder, join(folder, 'scripts/bundle.mjs'))
  return folder
}

function runNode(folder, ...args) {
  execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 2, 2] })
}

/** The workspaces that the gateway is built from, in the order in which they are built; an earlier version has fewer. */
function workspacesOf(folder) {
  const packages = existsSync(join(folder, 'packages')) ? readdirSync(join(folder, 'packages')) : []
  packages.sort((a, b) => Number(b === 'listener') - Number(a === 'listener'))
  return ['sdk', ...packages.map(name => `packages/${name}`), 'simulator']
}

/** Links this checkout's packages, but the workspaces of the version itself. */
function linkPackages(folder) {
  const packages = join(folder, 'node_modules')
  mkdirSync(join(packages, '@postern'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@postern') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  for (const part of workspacesOf(folder)) symlinkSync(join(folder, part), join(packages, '@postern', basename(part)))
  rmSync(join(folder, 'portal/dist'), { recursive: true, force: true })
  symlinkSync(join(ROOT, 'portal/dist'), join(folder, 'portal/dist'))
}

/** Adds what a later version may add: a column in every table, a table, and an index of a large table. */
function addMigration(folder, tables) {
  const path = join(folder, 'src/store/migrate.ts')
  const source = readFileSync(path, 'utf8')
  const list = /(readonly Migration\[\] = \[)([^\]]+)\]/
  const version = list.exec(source)[2].split(',').length + 1
  const migration = {
    version,
    name: 'later',
    oldestReader: version - 1,
    statements: [
      ...tables.map(table => `alter table ${table} add column later text not null default 'later'`),
      'create table laters (id text primary key)',
    ],
    concurrently: ['create index if not exists messages_later on messages (session_id, later)'],
  }
  writeFileSync(path, source.replace(list, `$1$2, ${JSON.stringify(migration)}]`))
}
