import type { Page } from 'playwright-core'

/** What pages read. */
export const ANSWERS = /\/portal\/api\/(v1|operator)\//

/** What has the focus, and whether one can see that it has. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    const shown = [element, element.closest('.table-row-line')].some(
      one =>
        one !== null && getComputedStyle(one).outlineStyle !== 'none' && getComputedStyle(one).outlineWidth !== '0px',
    )
    return { name: element.getAttribute('aria-label') ?? element.innerText.slice(0, 40), tag: element.tagName, shown }
  })
