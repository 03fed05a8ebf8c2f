import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROLES } from '../src/config.ts'
import { refuseUnknown } from '../src/known-settings.ts'

const DEPLOY = join(import.meta.dirname, '../deploy')
const FILES = ['Dockerfile', 'compose.yaml', 'compose.cluster.yaml', 'postern.service', 'install.sh']
const COMPOSE = ['compose.yaml', 'compose.cluster.yaml']

/** Names of Compose alone, which no process of the gateway sees. */
const OUTSIDE = new Set(['POSTERN_DOMAIN'])

const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(match => match[1]!)

describe('what is deployed', () => {
  it.each(FILES)('%s names only settings that there are', name => {
    const names = found(read(name), /(POSTERN_[A-Z_]+[A-Z])/g).filter(setting => !OUTSIDE.has(setting))
    expect(names.length).toBeGreaterThan(0)
    expect(() => refuseUnknown(Object.fromEntries(names.map(setting => [setting, 'set'])))).not.toThrow()
  })

  it.each(COMPOSE)('%s keeps every secret in a file, and mounts those that it declares', name => {
    const text = read(name)
    expect(text).not.toMatch(/(SECRET_KEY|TOKEN|DATABASE_URL|DIRECT_URL|PASSWORD)\s*:/)
    const declared = found(text.slice(text.lastIndexOf('\nsecrets:')), /^ {2}([a-z_]+):$/gm)
    expect(declared.length).toBeGreaterThan(1)
    for (const file of found(text, /\/run\/secrets\/([a-z_]+)/g)) expect(declared).toContain(file)
    for (const used of declared) expect(text).toMatch(new RegExp(`- (source: )?${used}$`, 'm'))
  })

  it('every secret of the cluster is one that make-secrets.sh writes', () => {
    const text = read('compose.cluster.yaml')
    const made = found(read('make-secrets.sh'), /keep ([a-z_]+) \d+/g)
    expect(found(text, /file: \.\.\/secrets\/([a-z_]+)/g).toSorted()).toEqual(made.toSorted())
  })

  it.each(COMPOSE)('%s mounts only files that there are', name => {
    const paths = found(read(name), /^ +- (\.\/[^:\n]+):/gm)
    for (const path of paths) expect(existsSync(join(DEPLOY, path)), path).toBe(true)
    const built = found(read(name), /dockerfile: (\S+)/g)
    for (const path of built) expect(existsSync(join(dirname(DEPLOY), path)), path).toBe(true)
  })

  it('the cluster runs two of every role that production has', () => {
    const text = read('compose.cluster.yaml')
    const roles = found(text, /POSTERN_ROLES: (\S+)/g)
    expect(roles).toEqual(ROLES.filter(role => role !== 'simulator'))
    expect(text).toMatch(/replicas: 2/)
  })

  it('the image, the probes and Prometheus mean the same port', () => {
    const port = /POSTERN_METRICS_PORT=(\d+)/.exec(read('Dockerfile'))![1]!
    expect(read('Dockerfile')).toContain(`EXPOSE 8080 ${port}`)
    expect(read('prometheus/cluster.yml')).toContain(`port: ${port}`)
  })
})
