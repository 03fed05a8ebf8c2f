import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { VERSION } from '../src/version.ts'
import { needProgram } from './harness/programs.ts'

const ROOT = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'postern-packages-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(cwd: string, command: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: folder, PYTHONDONTWRITEBYTECODE: '1' }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
  return stdout.trim()
}

test('the packed library installs in an empty folder, and each of its parts can be imported and is typed there', () => {
  const project = join(folder, 'js')
  mkdirSync(project)
  run(ROOT, process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'sdk/tsconfig.build.json')
  const packed = run(join(ROOT, 'sdk'), 'npm', 'pack', '--silent', '--pack-destination', folder)
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  run(project, 'npm', 'install', '--silent', '--offline', '--no-audit', '--no-fund', join(folder, packed))
  const parts = ['express', 'fastify', 'hono', 'next'].map(
    name => `import { webhook as ${name} } from '@postern/sdk/${name}'`,
  )
  const program = `
    ${parts.join('\n')}
    import { PosternClient, PosternError, PosternOperator, respondToWebhook, verifyWebhook } from '@postern/sdk'
    const postern = new PosternClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'ptn_x' })
    const named = [express, fastify, hono, next, PosternError, PosternOperator, respondToWebhook, verifyWebhook, postern.send]
    console.log(named.every(each => typeof each === 'function'))`
  writeFileSync(join(project, 'program.ts'), program)
  writeFileSync(join(project, 'program.js'), program)
  expect(run(project, process.execPath, 'program.js')).toBe('true')
  const strictly = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--types',
    '',
    '--module',
    'nodenext',
    '--lib',
    'es2023,dom',
  ]
  run(project, process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), ...strictly, 'program.ts')
})

test('the wheel installs in an empty folder, without the network, and can be imported there', () => {
  const python = needProgram('python3', 'python3')
  needProgram('pip3', 'python3-pip')
  const project = join(folder, 'py')
  mkdirSync(project)
  const wheel = run(folder, python, join(ROOT, 'sdk/python/build_backend.py'), folder)
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--disable-pip-version-check', '--target', project]
  run(folder, python, ...pip, join(folder, wheel))
  expect(readdirSync(project).sort()).toEqual(['postern_sdk', `postern_sdk-${VERSION}.dist-info`])
  const program =
    'from postern_sdk import PosternClient, verify_webhook; print(PosternClient("http://a", "ptn_x").me.__name__)'
  expect(run(project, python, '-c', program)).toBe('me')
})
