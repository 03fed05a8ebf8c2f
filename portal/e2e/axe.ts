import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Theme } from './portal.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page as it stands, in either theme where none is chosen. */
export async function violationsOf(page: Page, themes: readonly Theme[] = ['light', 'dark']): Promise<string[]> {
  // Through the debugger's door: the page's own policy lets no foreign script in.
  await page.evaluate(AXE)
  const found: string[] = []
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    await page.waitForFunction(wanted => document.documentElement.dataset['theme'] === wanted, theme)
    found.push(...(await violationsNow(page)).map(violation => `${theme}: ${violation}`))
  }
  return found
}

function violationsNow(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: unknown): Promise<{ violations: Violation[] }> } }
    interface Violation {
      id: string
      nodes: { html: string; failureSummary: string }[]
    }
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`),
    )
  })
}
