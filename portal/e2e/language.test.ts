import { afterAll, beforeAll, expect, test } from 'vitest'
import { cells } from '../../test/harness/matrix.ts'
import { openPortal, type Portal } from './portal.ts'

let portal: Portal
beforeAll(async () => {
  portal = await openPortal()
})
afterAll(() => portal.stop())

test.each(
  cells([
    ['de-AT', 'de', 'Anmelden'],
    ['es-MX', 'es', 'Iniciar sesión'],
    ['pt-BR', 'pt', 'Entrar'],
  ]),
)('a visitor with a browser in %s sees the portal in “%s” by default', async (locale, code, title) => {
  const { page, problems } = await portal.window('light', 1280, locale)
  await page.goto(`${portal.url}/sign-in`)
  await page.getByRole('heading', { name: title }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe(code)
  expect(problems).toEqual([])
  await page.context().close()
})

test.each(
  cells([
    ['de-AT', 'E-Mail', 'Passwort', 'Anmelden', 'E-Mail oder Passwort ist falsch'],
    ['es-MX', 'Correo', 'Contraseña', 'Iniciar sesión', 'Correo o contraseña incorrectos'],
    ['pt-BR', 'E-mail', 'Senha', 'Entrar', 'E-mail ou senha incorretos'],
  ]),
)('a wrong password shows an error in the language of %s', async (locale, email, password, button, words) => {
  const { page } = await portal.window('light', 1280, locale)
  await page.goto(`${portal.url}/sign-in`)
  await page.getByLabel(email).fill('nobody@acme.example')
  await page.getByLabel(password).fill('not the password')
  await page.getByRole('button', { name: button }).click()
  expect(await page.getByRole('alert').innerText()).toBe(words)
  await page.context().close()
})

test.each(
  cells([
    ['de-AT', 'Diese E-Mail wird schon verwendet; melden Sie sich damit an'],
    ['es-MX', 'Este correo ya está en uso; inicie sesión con él'],
    ['pt-BR', 'Este e-mail já está em uso; entre com ele'],
  ]),
)('an email that is in use shows an error in the language of %s', async (locale, words) => {
  const { user, close } = await portal.visit()
  const { page } = await portal.window('light', 1280, locale)
  await page.goto(`${portal.url}/sign-up`)
  await page.locator('[name=name]').fill('Acme')
  await page.locator('[name=email]').fill(user.email)
  await page.locator('[name=password]').fill('a password of mine')
  await page.locator('[type=submit]').click()
  expect(await page.getByRole('alert').innerText()).toBe(words)
  await page.context().close()
  await close()
})

test('too many attempts show an error in the language of de-AT', async () => {
  const { page } = await portal.window('light', 1280, 'de-AT')
  const body = { detail: 'too many attempts to sign in; wait before the next', code: 'too_many_attempts' }
  await page.route(/\/portal\/api\/sign-in$/, route => route.fulfill({ status: 429, json: body }))
  await page.goto(`${portal.url}/sign-in`)
  await page.getByLabel('E-Mail').fill('nobody@acme.example')
  await page.getByLabel('Passwort').fill('not the password')
  await page.getByRole('button', { name: 'Anmelden' }).click()
  expect(await page.getByRole('alert').innerText()).toBe('Zu viele Anmeldeversuche; warten Sie vor dem nächsten')
  await page.context().close()
})

test('the language of the settings is remembered and takes precedence over the browser', async () => {
  const { page, problems } = await portal.visit({ locale: 'en-GB' })
  await page.goto(`${portal.url}/settings`)
  await page.getByLabel('Language').selectOption('de')
  await page.getByRole('heading', { name: 'Einstellungen' }).waitFor()
  await page.goto(portal.url)
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
  await page.goto(`${portal.url}/settings`)
  await page.getByLabel('Sprache').selectOption('Wie im Browser')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  expect(problems).toEqual([])
})

test('days and months have the format of the locale', async () => {
  const { page, close } = await portal.visit({ locale: 'de-DE' })
  await page.goto(`${portal.url}/usage`)
  const month = new Intl.DateTimeFormat('de-DE', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date())
  await page.getByRole('heading', { name: month }).waitFor()
  await close()
})

test('the page is in English if the texts of a language cannot be loaded', async () => {
  const { page } = await portal.window('light', 1280, 'de-DE')
  await page.route(/\/assets\/de-/, route => route.abort())
  await page.goto(`${portal.url}/sign-in`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
