import { type Command, command, flag, text } from './command.ts'

/** What takes care of the data. */
export const KEEP_COMMANDS: Command[] = [
  command({
    name: 'migrate',
    summary: 'bring the database up to date',
    options: { json: flag },
    async load() {
      const { migrate, migrateHelp } = await import('./migrate.ts')
      return { help: migrateHelp, run: ({ values, env }) => migrate(values, env) }
    },
  }),
  command({
    name: 'backup',
    summary: 'copy the embedded database while it runs',
    words: ['[file]'],
    options: { to: text, json: flag },
    async load() {
      const { backup, backupHelp } = await import('./backup.ts')
      return { help: backupHelp, run: ({ values, words, env }) => backup(words[0], values, env) }
    },
  }),
  command({
    name: 'restore',
    summary: 'put such a copy back',
    words: ['[file]'],
    options: { from: text, replace: flag, json: flag },
    async load() {
      const { restore, restoreHelp } = await import('./restore.ts')
      return { help: restoreHelp, run: ({ values, words, env }) => restore(words[0], values, env) }
    },
  }),
  command({
    name: 'move',
    summary: 'move everything to PostgreSQL, or back',
    options: { to: text, 'take-back': flag, json: flag },
    async load() {
      const { move, moveHelp } = await import('./move.ts')
      return { help: moveHelp, run: ({ values, env }) => move(values, env) }
    },
  }),
]
