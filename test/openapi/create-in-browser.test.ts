import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bookstore, jsonApiBookstore, models } from '../../examples/bookstore/bookstore.ts'
import { seed } from '../../examples/bookstore/seed.ts'
import { chromiumPath, openChromium } from '../support/chromium.ts'
import { startConference } from '../support/conference-service.ts'

const data = fileURLToPath(new URL('../../examples/bookstore/data', import.meta.url))

/** The timeout of each wait: slow machines take long to parse the page's script. */
const patience = 120_000

const mounts = ['/api', '/json-api']
const collections = Object.keys(models).map((name) => `${name}s`)

/** Sends the prefilled request that creates an item, and returns its status or its error. */
async function createPrefilled(page: Page, collection: string): Promise<string> {
  const operation = page.locator(`[id$="/POST/${collection}"]`).first()
  await operation.getByRole('button', { name: 'Test Request' }).click()
  const [reply] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.getByRole('button', { name: /^Send post request/ }).click(),
  ])
  await page.locator('.app-exit-button').click()
  return reply.ok() ? `${collection} ${reply.status()}` : `${collection} ${await reply.text()}`
}

describe.skipIf(chromiumPath === undefined)(
  '“Create” on the documentation page of the conference',
  () => {
    it(
      'succeeds with its prefilled example for a reader who signed in',
      async () => {
        const server = await startConference()
        const browser = await openChromium(chromiumPath!)
        onTestFinished(async () => {
          await browser.close()
          await server.close()
        })
        const page = await browser.newPage()
        page.setDefaultTimeout(patience)
        await page.goto(`${server.address}/json-api/docs`)
        const form = page.locator('#sign-in')
        await form.locator('select').selectOption('Token (bearer)')
        const token = await (await fetch(`${server.address}/token/olga`)).text()
        await form.locator('input').fill(token)
        await form.getByRole('button', { name: 'Sign in' }).click()
        await page.getByText('Create a person').first().waitFor()
        const statuses: string[] = []
        // Each request takes seconds in a browser; the service gets all of them in another test.
        const conferenceCollections = ['sessions', 'ratings']
        for (const collection of conferenceCollections) {
          const tag = collection.toLowerCase()
          await page.goto(`${server.address}/json-api/docs#tag/${tag}/POST/${collection}`)
          statuses.push(await createPrefilled(page, collection))
        }
        expect(statuses).toEqual(conferenceCollections.map((collection) => `${collection} 201`))
      },
      10 * patience,
    )
  },
)

describe.skipIf(chromiumPath === undefined)(
  '“Create” on the documentation page of the bookstore',
  () => {
    let server: Server
    let browser: Browser

    beforeAll(async () => {
      // A store for each, because a client id can be used only once.
      const routers = [bookstore, jsonApiBookstore].map((make) =>
        make({ store: memory(), blobs: memoryBlobs() }),
      )
      for (const router of routers) await seed(router, data)
      server = await serve(routers, { port: 0 })
      browser = await openChromium(chromiumPath!)
    }, patience)
    afterAll(async () => {
      await browser?.close()
      await server?.close()
    }, patience)

    it.each(mounts)(
      'succeeds with its prefilled example and without warnings, for every model under %s',
      async (mount) => {
        const page = await browser.newPage()
        page.setDefaultTimeout(patience)
        const responses: string[] = []
        const warnings: string[] = []
        for (const collection of collections) {
          // Only the first visit loads the page: the others only change the fragment.
          await page.goto(`${server.address}${mount}/docs#tag/${collection}/POST/${collection}`)
          const operation = page.locator(`[id$="/tag/${collection}/POST/${collection}"]`)
          await operation.getByRole('button', { name: 'Test Request' }).click()
          const send = page.getByRole('button', { name: /^Send post request/ })
          await send.waitFor()
          warnings.push(
            ...(await page.locator('tr:has([aria-label="Input is invalid"])').allInnerTexts()),
          )
          const [reply] = await Promise.all([
            page.waitForResponse((response) => response.request().method() === 'POST'),
            send.click(),
          ])
          responses.push(
            `${new URL(reply.url()).pathname} ${reply.status()} ${reply.ok() ? '' : await reply.text()}`.trim(),
          )
          // The dialog covers the page until it is closed.
          await page.locator('.app-exit-button').click()
        }
        expect(responses).toEqual(collections.map((collection) => `${mount}/${collection} 201`))
        expect(warnings).toEqual([])
        await page.close()
      },
      10 * patience,
    )
  },
)
