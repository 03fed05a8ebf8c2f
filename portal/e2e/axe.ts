import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Theme } from './portal.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The violations that axe finds on the current page, in both themes unless one is given. */
export async function violationsOf(page: Page, themes: readonly Theme[] = ['light', 'dark']): Promise<string[]> {
  // Injected through the debugger, because the policy of the page blocks foreign scripts.
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
