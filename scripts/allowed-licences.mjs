/** Licences that require only to keep their text and the author's name. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]

/** Additional licences for development tools, which are not distributed. */
const ALLOWED_IN_DEVELOPMENT = ['MPL-2.0']

const LIBVIPS_SYSTEMS = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm',
  'linux-arm64',
  'linux-ppc64',
  'linux-riscv64',
  'linux-s390x',
  'linux-x64',
  'linuxmusl-arm64',
  'linuxmusl-x64',
]
const LIBVIPS = 'LGPL: a separate library that users can replace; NOTICE states the conditions of distribution'

/** Packages with other licences that were reviewed, with the licence and the reason. */
const EXCEPTIONS = new Map([
  ['libsignal', { licence: 'GPL-3.0', why: 'the platform’s encryption; NOTICE states the conditions of distribution' }],
  ['@fontsource-variable/inter', { licence: 'OFL-1.1', why: 'a font in the portal; not sold separately' }],
  ...LIBVIPS_SYSTEMS.map(system => [`@img/sharp-libvips-${system}`, { licence: 'LGPL-3.0-or-later', why: LIBVIPS }]),
])

/** Why a package is not allowed; undefined if it is. */
export function licenceProblem({ name, licence, use }) {
  if (licence === '') return 'says no licence: read what it came with, and name it in scripts/allowed-licences.mjs'
  if (EXCEPTIONS.get(name)?.licence === licence) return undefined
  const allowed = use === 'product' ? ALLOWED : [...ALLOWED, ...ALLOWED_IN_DEVELOPMENT]
  return isAllowed(licence, allowed) ? undefined : `is under ${licence}, which is not among the allowed ones`
}

/** Accepts `A OR B` if one is allowed, and `A AND B` if all are. Rejects expressions with both operators. */
function isAllowed(expression, allowed) {
  const plain = expression.replace(/^\((.*)\)$/, '$1')
  if (/ OR /.test(plain) && / AND /.test(plain)) return false
  if (/ AND /.test(plain)) return plain.split(' AND ').every(id => allowed.includes(id))
  return plain.split(' OR ').some(id => allowed.includes(id))
}
