import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dependenciesOf, inOrder, licenceOf, nameAt, readJson, readPackages } from './packages.mjs'

/**
 * Writes the product's bill of materials (CycloneDX 1.6). The output is reproducible: it contains neither times nor
 * random values. `node scripts/sbom.mjs [file]`
 */
const root = process.cwd()
const file = process.argv[2] ?? join(root, 'dist/sbom.cdx.json')
const { lock, parts } = readPackages(root)

const components = new Map()
const dependsOn = new Map()
const own = parts.map(({ part, folder, direct, places }) => {
  for (const place of places) add(part, place)
  const manifest = readJson(join(root, folder, 'package.json'))
  return { manifest, ref: purlOf(manifest.name, manifest.version), refs: direct.map(refAt) }
})
const [gateway, ...rest] = own
dependsOn.set(gateway.ref, new Set([...gateway.refs, ...rest.map(({ ref }) => ref)]))
for (const { manifest, ref, refs } of rest) {
  components.set(ref, { ...described('library', manifest), licenses: licensesOf('MIT') })
  dependsOn.set(ref, new Set(refs))
}
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, `${JSON.stringify(bill(), null, 2)}\n`)

function bill() {
  const sorted = [...components.values()].sort((a, b) => inOrder(a['bom-ref'], b['bom-ref']))
  const dependencies = [...dependsOn].map(([ref, refs]) => ({ ref, dependsOn: [...refs].sort(inOrder) }))
  const body = { components: sorted, dependencies: dependencies.sort((a, b) => inOrder(a.ref, b.ref)) }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumber(JSON.stringify(body)),
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { ...described('application', gateway.manifest), licenses: licensesOf(gateway.manifest.license) },
    },
    ...body,
  }
}

/** A package at two paths is one component with the dependencies of both. */
function add(part, place) {
  const entry = lock[place]
  const ref = refAt(place)
  const known = components.get(ref)
  const inParts = new Set([...(known?.properties ?? []).map(({ value }) => value), part])
  components.set(ref, {
    ...described('library', { name: nameAt(place), version: entry.version }),
    licenses: licensesOf(licenceAt(place)),
    hashes: hashesOf(entry.integrity),
    properties: [...inParts].sort(inOrder).map(value => ({ name: 'postern:part', value })),
  })
  const refs = dependsOn.get(ref) ?? new Set()
  for (const found of dependenciesOf(root, lock, place)) refs.add(refAt(found))
  dependsOn.set(ref, refs)
}

/** The portal's packages may not be installed any more; the lock file still has them. */
function licenceAt(place) {
  const manifest = join(root, place, 'package.json')
  return existsSync(manifest) ? licenceOf(readJson(manifest)) : (lock[place].license ?? '')
}

function described(type, { name, version }) {
  const [scope, plain] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = purlOf(name, version)
  return { type, 'bom-ref': purl, ...(scope !== undefined && { group: scope }), name: plain, version, purl }
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${encodeURIComponent(version)}`
}

function refAt(place) {
  return purlOf(nameAt(place), lock[place].version)
}

function licensesOf(licence) {
  if (licence === '') return []
  return / (OR|AND|WITH) /.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }]
}

/** The hashes that npm checks at installation. */
function hashesOf(integrity) {
  const names = { sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' }
  return integrity.split(' ').map(one => {
    const [, algorithm, digest] = /^(sha\d+)-(.+)$/.exec(one)
    return { alg: names[algorithm], content: Buffer.from(digest, 'base64').toString('hex') }
  })
}

/** A UUID derived from the content. */
function serialNumber(content) {
  const hex = createHash('sha256').update(content).digest('hex')
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
