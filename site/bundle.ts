import { build } from 'vite'

/** The script of the pages as one file. */
export async function bundleScript(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, target: 'es2022', lib: { entry, formats: ['es'], fileName: 'site' }, minify: true },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const chunk = outputs
    .flatMap(each => ('output' in each ? each.output : []))
    .find(each => each.type === 'chunk' && each.isEntry)
  if (chunk?.type !== 'chunk') throw new Error('the script of the documentation was not made')
  return chunk.code
}
