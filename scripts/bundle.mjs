import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'

/**
 * Joins the compiled files of the program and of its threads, so that a start reads a dozen files instead of a thousand.
 * Packages that every start loads are joined with them; docs/decisions/0042 says which, and why not all.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const output = join(root, 'dist/bundled')

const ENTRIES = [
  'cli/main',
  'sandbox/sandbox-thread',
  'store/sqlite/checkpoint-thread',
  'store/sqlite/writer-thread',
  'worker/host-thread',
  'platform/whatsapp/to-message/media-examiner',
]
const JOINED = ['@fastify/static', 'baileys', 'fastify', 'ipaddr.js', 'pino', 'prom-client', 'typebox', 'undici']
/** Also if a joined package imports them: one is under the GPL, some have native files, and some are rarely loaded. */
const APART = [
  'audio-decode',
  'jimp',
  'libsignal',
  'link-preview-js',
  'music-metadata',
  'sharp',
  'whatsapp-rust-bridge',
]

const isOf = (id, names) => names.some(name => id === name || id.startsWith(`${name}/`))
const isJoined = id => isOf(id, ['#simulator', '#recorder', ...JOINED])
const isPackage = id => /^[#@a-z]/.test(id) && !id.startsWith('node:')

rmSync(output, { recursive: true, force: true })
const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map(entry => [entry.split('/').at(-1), `dist/${entry}.js`])),
  platform: 'node',
  // What a joined package imports is joined, too.
  external: (id, importer) =>
    isOf(id, APART) || (isPackage(id) && !isJoined(id) && importer?.includes('/node_modules/') !== true),
})
const { output: files } = await bundle.write({
  dir: output,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // The gateway recognises errors of the engine by the name of its file (src/platform/whatsapp/engine/library.ts).
  // The library also uses pino: in a file with it, every thread that logs would load the library.
  codeSplitting: {
    groups: [
      { name: 'pino', test: /^(?!.*[\\/]baileys[\\/]).*[\\/]node_modules[\\/]pino[\\/]/, priority: 2 },
      { name: 'baileys', test: /[\\/]node_modules[\\/]baileys[\\/]/, priority: 1 },
    ],
  },
})
for (const { fileName, code } of files)
  if (code !== undefined) writeFileSync(join(output, fileName), lean(fileName, code))
writeFileSync(join(output, 'LICENSES.txt'), licencesOf(files.flatMap(({ moduleIds = [] }) => moduleIds)))

/**
 * Every thread keeps the text of the files that it loads, with two bytes for each character if one of them is not Latin:
 * these are escaped. The engine, much of which is indentation, loses its white space. All names stay.
 */
function lean(fileName, code) {
  const codegen = { removeWhitespace: true }
  const isEngine = fileName.startsWith('baileys-')
  const text = isEngine
    ? minifySync(fileName, code, { module: true, compress: false, mangle: false, codegen }).code
    : code
  if (/\\[\u0100-\uffff]/.test(text)) throw new Error(`${fileName} has an escaped character that is not Latin`)
  return text.replaceAll(/[\u0100-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The licence texts of all packages that the files contain. */
function licencesOf(modules) {
  const folders = new Set(modules.flatMap(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []))
  return [...folders]
    .sort((a, b) => a.localeCompare(b))
    .map(folder => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each))
      const text =
        file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : license
      return `${name} ${version}\n\n${text.trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
