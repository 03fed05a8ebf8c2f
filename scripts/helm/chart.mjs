import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
export const CHART = join(here, '../../deploy/helm/postern')

/** Debian packages that are needed in addition to Node. */
export const DEBIAN = ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-github-ghodss-yaml-dev']
const PACKAGES = ['kubernetes-models@4.5.1', '@kubernetes-models/prometheus-operator@4.4.4', 'yaml@2.9.1', 'ajv@8.20.0']

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim()}`)
  return stdout
}

/** Installs the tools in a folder outside of the checkout, so that they are not dependencies of the project. */
export async function chartTools(folder) {
  const program = join(folder, 'render')
  run('go', ['build', '-o', program, join(here, 'render.go')], {
    env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' },
  })
  if (!existsSync(join(folder, 'node_modules/@kubernetes-models/prometheus-operator'))) {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }))
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES], { cwd: folder })
  }
  const require = createRequire(join(folder, 'package.json'))
  const load = name => import(pathToFileURL(require.resolve(name)).href)
  return { program, load, require }
}

/** Renders the chart with these values. */
export function renderChart(program, values, chart = CHART) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-chart-'))
  try {
    const file = join(folder, 'values.json')
    writeFileSync(file, JSON.stringify(values))
    return run(program, [chart, 'gateway', 'messaging', file])
  } finally {
    rmSync(folder, { recursive: true })
  }
}
