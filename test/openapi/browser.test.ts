import type { Browser, Page, Request } from 'playwright-core'
import { type Authenticator, createRouter, hash, model } from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { chromiumPath, openChromium } from '../support/chromium.ts'

if (chromiumPath === undefined)
  console.warn(
    '\n*** The documentation page is NOT tested: there is no Chromium here. Install it (apt-get install chromium), or name it in CHROMIUM. ***\n',
  )

const Book = model('book', { title: z.string(), hash: hash() })

/** Recognizes nobody: only its entry in the form counts. */
const tokens = (name: string): Authenticator<{ id: string }> => ({
  name,
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: () => undefined,
})

/** The timeout of each wait. Slow machines take long to parse the page's script. */
const patience = 120_000

describe.skipIf(chromiumPath === undefined)('The documentation page in a browser', () => {
  let server: Server
  let browser: Browser

  beforeAll(async () => {
    const store = memory()
    const info = { title: 'Books', version: '1' }
    const routers = [
      createRouter({ policy: rest(), basePath: '/api', store, docsPage: true, info }),
      createRouter({ policy: jsonApi(), basePath: '/json-api', store, docsPage: true, info }),
    ]
    for (const router of routers) router.prepare(Book)
    await routers[0]!.load(Book, [{ id: 'dune', title: 'Dune' }])
    server = await serve(routers, { port: 0 })
    browser = await openChromium(chromiumPath!)
  }, patience)
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  }, patience)

  it.each(['/api', '/json-api'])(
    'shows the operations of %s, sends a request and shows its response, and loads nothing from other hosts',
    async (mount) => {
      const { page, requests, errors } = await opened(
        browser,
        `${server.address}${mount}/docs#tag/books/GET/books`,
      )
      await page.getByText('List books').first().waitFor()
      const firstRequest = page.locator('pre code', { hasText: 'curl -g' }).first()
      await firstRequest.waitFor()
      const isWhole = await firstRequest.evaluate(
        ({ scrollWidth, parentElement }) => scrollWidth <= (parentElement?.clientWidth ?? 0),
      )
      expect(isWhole).toBe(true)
      await page.getByText('Test Request').first().click()
      const send = page.getByRole('button', { name: /^Send/ }).first()
      const [reply] = await Promise.all([
        page.waitForResponse((response) => new URL(response.url()).pathname === `${mount}/books`),
        send.click(),
      ])
      expect([reply.request().method(), reply.status()]).toEqual(['GET', 200])
      // A title that only the response has, not the document.
      await page.getByText('Dune').first().waitFor()

      const foreign = requests
        .map((request) => request.url())
        .filter((url) => !url.startsWith(server.address))
      expect(foreign.filter((url) => !/^(?:data|blob):/.test(url))).toEqual([])
      expect(errors).toEqual([])
    },
    4 * patience,
  )
})

describe.skipIf(chromiumPath === undefined)(
  'The documentation page of a router with access rules',
  () => {
    it(
      'shows what everyone may call, and more to a reader who signs in',
      async () => {
        const router = createRouter({
          policy: rest(),
          store: memory(),
          docsPage: true,
          security: {
            authentication: [
              basic({ users: { ann: 'sécret' }, caller: (id) => ({ id }) }),
              tokens('bearer'),
              tokens('apiKey'),
            ],
            callerSchema: z.object({ id: z.string() }),
          },
        })
        router.prepare(Book).access(({ anyone, signedIn }) => ({ read: anyone, create: signedIn }))
        const server = await serve(router, { port: 0 })
        const browser = await openChromium(chromiumPath!)
        onTestFinished(async () => {
          await browser.close()
          await server.close()
        })
        const { page } = await opened(browser, `${server.address}/docs#tag/books`)
        await page.getByText('List books').first().waitFor()
        expect(await page.getByText('Create a book').count()).toBe(0)
        const form = page.locator('#sign-in')
        expect(await form.locator('option').allTextContents()).toEqual([
          'Token (apiKey)',
          'name:password',
          'Token (bearer)',
        ])
        await form.locator('select').selectOption('name:password')
        const signIn = form.getByRole('button', { name: 'Sign in' })
        const signOut = form.getByRole('button', { name: 'Sign out' })
        expect(await signOut.isVisible()).toBe(false)
        await form.locator('input').fill('ann:wrong')
        await signIn.click()
        await form.getByText('The service refuses this credential.').waitFor()
        await form.locator('input').fill('ann:sécret')
        await signIn.click()
        await page.getByText('Create a book').first().waitFor()
        expect(await form.getByRole('status').textContent()).toContain('what you may call')
        expect(await form.locator('input').isVisible()).toBe(false)
        await signOut.click()
        await page.getByText('Create a book').first().waitFor({ state: 'detached' })
        await page.getByText('List books').first().waitFor()
        expect(await form.locator('input').inputValue()).toBe('')
        expect(await form.getByRole('status').textContent()).toContain('what everyone may call')
      },
      4 * patience,
    )
  },
)

async function opened(browser: Browser, address: string) {
  const page: Page = await browser.newPage()
  page.setDefaultTimeout(patience)
  const requests: Request[] = []
  const errors: string[] = []
  page.on('request', (request) => requests.push(request))
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`${response.status()} ${response.url()}`)
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) errors.push(message.text())
  })
  await page.goto(address)
  return { page, requests, errors }
}
