import { expect, it } from 'vitest'
import { browserCommand } from './open.ts'

it.each<[string, NodeJS.ProcessEnv, NodeJS.Platform, ReturnType<typeof browserCommand>]>([
  ['on a desktop of Linux', { DISPLAY: ':0' }, 'linux', ['xdg-open']],
  ['on a Mac', {}, 'darwin', ['open']],
  ['on Windows', {}, 'win32', ['rundll32', 'url.dll,FileProtocolHandler']],
  ['where the user has chosen one', { BROWSER: 'firefox' }, 'linux', ['firefox']],
  ['without a screen', {}, 'linux', null],
  ['over ssh', { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1' }, 'linux', null],
  ['where the user wants none', { BROWSER: 'none', DISPLAY: ':0' }, 'linux', null],
])('%s, the right program opens the browser, or none does', (_name, env, platform, command) => {
  expect(browserCommand(env, platform)).toEqual(command)
})
