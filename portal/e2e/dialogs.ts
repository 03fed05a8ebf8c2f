import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Furnished } from './furnished.ts'

/** The path of a page and the buttons that open a dialog on it, in order. */
type Way = [path: (at: Furnished) => string, ...buttons: string[]]

const CHAT = () => '/phone?chat=15551234567'

const STORED = 'I have stored it'

/** Modal dialogs. */
export const DIALOGS: Record<string, Way> = {
  'adding a sandbox number': [() => '/numbers', 'Add a sandbox number'],
  'unlinking a number': [at => at.number, 'Unlink'],
  'restarting a number': [at => at.number, 'Restart'],
  'creating a group': [at => `${at.number}/groups`, 'Create a group'],
  'leaving a group': [at => at.group, 'Leave the group'],
  'revoking an invite link': [at => at.group, 'Revoke the link'],
  'creating a channel': [at => `${at.number}/channels`, 'Create a channel'],
  'finding a channel': [at => `${at.number}/channels`, 'Find a channel'],
  'sending a message': [() => '/messages', 'Send a message'],
  'deleting a message': [at => at.message, 'Delete for everyone'],
  'cancelling a message': [at => at.scheduled, 'Cancel the message'],
  'resending a delivery': [at => at.delivery, 'Resend'],
  'replaying deliveries': [() => '/deliveries', 'Replay'],
  'rotating a secret': [at => at.webhook, 'Rotate the secret'],
  'deleting a webhook': [at => at.webhook, 'Delete'],
  'editing an endpoint': [at => at.endpoint, 'Edit'],
  'deleting an endpoint': [at => at.endpoint, 'Delete'],
  'creating a key': [() => '/keys', 'Create a key'],
  'revoking a key': [() => '/keys', 'Revoke'],
  'signing out everywhere': [() => '/settings', 'Sign out everywhere'],
  'creating an account': [() => '/accounts', 'Create an account'],
  'editing an account': [() => '/accounts', '[data-row]'],
  'the palette': [() => '/', 'Search'],
  'a new chat': [() => '/phone', 'New chat'],
  'logging a phone out': [() => '/phone', 'Log out'],
}

/** Elements that open without a modal dialog. */
export const UNFOLDED: Record<string, Way> = {
  'the attachments': [CHAT, 'Attach'],
  'a chart as a table': [() => '/', 'As a table'],
  'the times of a list': [() => '/deliveries?since=2026-03-10T00:00&until=2026-03-12T23:59', '[aria-label^="Time:"]'],
}

/** Dialogs that open from a menu, which returns the focus to its own button. */
export const FROM_A_MENU: Record<string, [button: string, choice: string]> = {
  'a location': ['Attach', 'Location'],
  'a poll': ['Attach', 'Poll'],
}

/** On a small screen the button may be behind another one. */
const BEFORE: Record<string, string> = { Search: 'Open the menu', 'Log out': 'Conditions' }

/** Presses the button that opens the dialog, and marks it so that the test can find it again. */
export async function press(page: Page, name: string): Promise<void> {
  const opener = name.startsWith('[')
    ? page.locator(name).first()
    : page.getByRole('button', { name, exact: true }).locator('visible=true').first()
  const before = Object.hasOwn(BEFORE, name) ? BEFORE[name]! : null
  if (before !== null && !(await opener.isVisible()))
    await page.getByRole('button', { name: before, exact: true }).click()
  await opener.waitFor()
  await opener.evaluate(element => element.setAttribute('data-opener', ''))
  await opener.click()
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement
    if (at === null || at === document.body) return 'nothing'
    if (at.closest('dialog[open]') !== null) return 'the dialog'
    return at.hasAttribute('data-opener') ? 'what opened it' : `the page behind: ${at.outerHTML.slice(0, 120)}`
  })

/** Dialogs that replace a form after it is sent. Only a confirmation closes them. */
export const SECRETS: Record<string, { at: Way; label?: string; submit: string; answer: string }> = {
  'a new key': { at: [() => '/keys', 'Create a key'], label: 'Label', submit: 'Create the key', answer: STORED },
  'a new secret': { at: [at => at.webhook, 'Rotate the secret'], submit: 'Rotate', answer: STORED },
  'the key of a new account': {
    at: [() => '/accounts', 'Create an account'],
    label: 'Name',
    submit: 'Create the account',
    answer: 'I have passed it on',
  },
}

/** The focus moves into the dialog, stays there in both directions and returns to the opener. */
export async function expectFocusKept(page: Page): Promise<void> {
  await expectFocusHeld(page)
  await page.keyboard.press('Escape')
  await expectFocusBack(page)
}

/** The focus moves into the dialog and stays there in both directions. */
export async function expectFocusHeld(page: Page): Promise<void> {
  await page.locator('dialog[open]').waitFor()
  await expect.poll(() => focused(page)).toBe('the dialog')
  const stops = await page.locator('dialog[open]').evaluate(dialog => {
    const all = 'a[href], button:not([disabled]), input:not([hidden]), select, textarea, summary, [tabindex="0"]'
    return dialog.querySelectorAll(all).length
  })
  const seen = new Set<string>()
  for (const key of ['Tab', 'Shift+Tab'])
    for (let step = 0; step < Math.min(stops, 12) + 2; step++) {
      await page.keyboard.press(key)
      seen.add(await focused(page))
    }
  // After the last element the focus moves to the controls of the browser, which a page cannot see.
  expect([...seen].filter(place => place !== 'nothing')).toEqual(['the dialog'])
}

/** The dialog is closed, and the focus is on the opener. */
export async function expectFocusBack(page: Page): Promise<void> {
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('what opened it')
}
