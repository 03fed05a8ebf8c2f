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
const JOINED = ['baileys', 'fastify', 'ipaddr.js', 'pino', 'prom-client', 'typebox', 'undici', 'whatsapp-rust-bridge']
/** Also if a joined package imports them: one is under the GPL, some have native files, and some are rarely loaded. */
const APART = ['audio-decode', 'jimp', 'libsignal', 'link-preview-js', 'music-metadata', 'sharp']

/** Its code has two WebAssembly modules as text, which each thread would keep, in three forms. */
const WASM_PACKAGE = /[\\/]node_modules[\\/]whatsapp-rust-bridge[\\/]/
const WASM_AS_TEXT = /"(AGFzbQ[\w+/=]{1000,})"/g
const DECODED = /function base64ToUint8Array\(base64\) \{.*?\n\}/s

const isOf = (id, names) => names.some(name => id === name || id.startsWith(`${name}/`))
const isJoined = id => isOf(id, ['#simulator', '#recorder', ...JOINED])
const isPackage = id => /^[#@a-z]/.test(id) && !id.startsWith('node:')

const wasmFiles = new Map()
rmSync(output, { recursive: true, force: true })
const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map(entry => [entry.split('/').at(-1), `dist/${entry}.js`])),
  platform: 'node',
  plugins: [{ name: 'wasm-files', transform: (code, id) => (WASM_PACKAGE.test(id) ? withWasmFiles(code) : null) }],
  // What a joined package imports is joined, too.
  external: (id, importer) =>
    isOf(id, APART) || (isPackage(id) && !isJoined(id) && importer?.includes('/node_modules/') !== true),
})
const { output: files } = await bundle.write({
  dir: output,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // A start reads every character. The licences are in a file of their own.
  comments: false,
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
for (const [name, bytes] of wasmFiles) writeFileSync(join(output, name), bytes)
writeFileSync(join(output, 'LICENSES.txt'), licencesOf(files.flatMap(({ moduleIds = [] }) => moduleIds)))

/** Writes the WebAssembly modules of this code into files, which it reads when it begins. */
function withWasmFiles(code) {
  let count = 0
  const text = code.replaceAll(WASM_AS_TEXT, (_, base64) => {
    const name = `whatsapp-rust-bridge-${count++}.wasm`
    wasmFiles.set(name, Buffer.from(base64, 'base64'))
    return JSON.stringify(name)
  })
  if (count === 0 || !DECODED.test(text)) throw new Error('whatsapp-rust-bridge has its modules in another form')
  const read = 'function base64ToUint8Array(name) { return readFileSync(new URL(name, import.meta.url)) }'
  return `import { readFileSync } from 'node:fs'\n${text.replace(DECODED, read)}`
}

/**
 * Every thread keeps the text of the files that it loads, with two bytes for each character if one of them is not Latin:
 * these are escaped. The engine, much of which is indentation, loses its white space. All names stay.
 */
function lean(fileName, code) {
  const codegen = { removeWhitespace: true }
  const isEngine = fileName.startsWith('baileys-')
  const text = isEngine
    ? compiledWhenCalled(minifySync(fileName, code, { module: true, compress: false, mangle: false, codegen }).code)
    : code
  if (/\\[\u0100-\uffff]/.test(text)) throw new Error(`${fileName} has an escaped character that is not Latin`)
  return text.replaceAll(/[\u0100-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * V8 compiles a function that follows a parenthesis together with the code around it. The definitions of the protocol's
 * messages are hundreds of such functions in one, and what V8 needs for them, 10 MB in each thread, would stay with the
 * process. After a comma they are compiled one by one.
 */
function compiledWhenCalled(code) {
  return code.replaceAll('=(function(){', '=(0,function(){')
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
