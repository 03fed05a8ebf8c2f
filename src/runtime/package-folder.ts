import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** This file as a source, compiled, or in a bundle. */
const HERE = /[\\/](?:src|dist)[\\/](?:runtime[\\/]package-folder\.[jt]s|bundled[\\/][^\\/]+)$/

/** The folder of Postern's `package.json`. */
export const PACKAGE_FOLDER = fileURLToPath(import.meta.url).replace(HERE, '')

/** The path of a thread's bundle. Sources that a test runner executes start it too. */
export const bundledThread = (name: string): string => join(PACKAGE_FOLDER, 'dist/bundled', `${name}.js`)
