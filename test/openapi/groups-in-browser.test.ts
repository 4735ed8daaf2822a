import { fileURLToPath } from 'node:url'
import type { Browser, Page, Response } from 'playwright-core'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bookstore, jsonApiBookstore } from '../../examples/bookstore/bookstore.ts'
import { seed } from '../../examples/bookstore/seed.ts'
import { chromiumPath, openChromium } from '../support/chromium.ts'

const data = fileURLToPath(new URL('../../examples/bookstore/data', import.meta.url))

/** The timeout of each wait: slow machines take long to parse the page's script. */
const patience = 120_000

const mounts = ['/api', '/json-api']

describe.skipIf(chromiumPath === undefined)('The documentation page of the bookstore', () => {
  let server: Server
  let browser: Browser

  beforeAll(async () => {
    const stores = { store: memory(), blobs: memoryBlobs() }
    const routers = [bookstore(stores), jsonApiBookstore(stores)]
    await seed(routers[0]!, data)
    server = await serve(routers, { port: 0 })
    browser = await openChromium(chromiumPath!)
  }, patience)
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  }, patience)

  /** Opens the form of an operation of books, and returns the page. */
  const openedForm = async (mount: string, path: string): Promise<Page> => {
    const page = await browser.newPage()
    page.setDefaultTimeout(patience)
    await page.goto(`${server.address}${mount}/docs#tag/books/GET${path}`)
    const operation = page.locator(`[id$="/GET${path}"]`).first()
    await operation.getByRole('button', { name: 'Test Request' }).click()
    await page.getByRole('button', { name: /^Send/ }).first().waitFor()
    return page
  }
  const send = async (page: Page, pathname: string): Promise<Response> => {
    const [response] = await Promise.all([
      page.waitForResponse((each) => new URL(each.url()).pathname === pathname),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ])
    return response
  }

  it.each(mounts)(
    'groups the books of %s with its prefilled request',
    async (mount) => {
      const page = await openedForm(mount, '/books/groups')
      const response = await send(page, `${mount}/books/groups`)
      expect(response.status()).toBe(200)
      expect(new URL(response.url()).searchParams.get('groupBy')).toBe('price')
      expect(await response.text()).toContain('"by":{"price":9}')
      await page.close()
    },
    4 * patience,
  )

  it.each(mounts)(
    'searches the books of %s for a word',
    async (mount) => {
      const page = await openedForm(mount, '/books')
      const row = page.locator('tr').filter({ has: page.getByText('search', { exact: true }) })
      await row.locator('[contenteditable=true]').last().click()
      await page.keyboard.type('frank')
      // The page takes what was typed once the field is left, or a moment later.
      await page.keyboard.press('Tab')
      const response = await send(page, `${mount}/books`)
      expect(response.status()).toBe(200)
      expect(new URL(response.url()).searchParams.get('search')).toBe('frank')
      const text = await response.text()
      expect(text).toContain('Frankenstein')
      expect(text).not.toContain('Dracula')
      await page.close()
    },
    4 * patience,
  )
})
