import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { findProgram, installPackages } from './programs.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** No window, no sandbox (the tests may run as root), and no requests of its own. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The path of a real Chromium; installs it if possible, else names what to install. */
export function chromiumBinary(): string {
  const found = findChromium() ?? (installPackages('chromium') ? findChromium() : undefined)
  if (found !== undefined) return found
  throw new Error('Chromium is needed for the tests of the portal: install the package "chromium".')
}

export function findChromium(): string | undefined {
  return NAMES.map(findProgram).find(path => path !== undefined) ?? (existsSync(MAC) ? MAC : undefined)
}

/** The same engine without a window's surroundings, at a third of the processor time, if the machine has it. */
const HEADLESS_SHELL = 'chromium-headless-shell'

export const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: findProgram(HEADLESS_SHELL) ?? chromiumBinary(), args: FLAGS })
