import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

/** Builds the site of `/docs` in dist/docs. Needs the built gateway, whose commands and codes are on the pages. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { module } = await runnerImport(join(root, 'site/build.ts'), { configFile: false, logLevel: 'warn', root })
await module.buildSite(root, path => import(join(root, 'dist', path)))
