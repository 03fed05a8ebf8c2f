import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Smaller ones fit into one packet as they are. */
const LEAST_BYTES = 1_000
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }

/** Writes text files twice more, as brotli and as gzip, so that no request waits for a compression. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          const source = Buffer.from(file.type === 'chunk' ? file.code : file.source)
          if (!/\.(js|css|svg)$/.test(file.fileName) || source.length < LEAST_BYTES) continue
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source: brotliCompressSync(source, BROTLI) })
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipSync(source, { level: 9 }) })
        }
      },
    },
  }
}
