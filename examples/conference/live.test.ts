import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { sqlite } from 'resourcery/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, openChromium } from '../../test/support/chromium.ts'
import { conference } from './conference.ts'
import { localIssuer } from './issuer.ts'
import { live } from './live.ts'
import { Session } from './models.ts'
import { attendees, seed } from './seed.ts'

const issuer = localIssuer()

/** The conference as a process starts it, on the file and the port of the one before. */
async function start(file: string, port: number) {
  const routers = conference({
    store: sqlite(file),
    blobs: memoryBlobs(),
    outbox: '/dev/null',
    issuerKey: issuer.publicKey,
    cursorSecret: 'the secret of this test, which outlives a process',
  })
  await seed(routers[0]!)
  const page = live('examples/conference/live.html')
  const serveIt = () => serve([...routers, issuer.tokens(attendees), page], { port })
  return { router: routers[0]!, serve: serveIt }
}

const session = (id: string, start: string, end: string) => ({
  id,
  talk: 'looms',
  room: 'hall',
  start: `2030-06-02T${start}:00Z`,
  end: `2030-06-02T${end}:00Z`,
})

/** Creates a session as the page of an organizer would. */
const createIn = (page: Page, values: object) =>
  page.evaluate(async (body) => {
    const token = await (await fetch('/token/olga')).text()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ session: body }) }
    return (await fetch('/api/sessions', init)).status
  }, values)

const patience = { timeout: 30_000 }

describe.skipIf(chromiumPath === undefined)('The live page', () => {
  it('shows in one window what changes in another, and misses nothing in a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'live-'))
    const file = join(folder, 'conference.db')
    const first = await start(file, 0)
    let server = await first.serve()
    const browser = await openChromium(chromiumPath!)
    onTestFinished(async () => {
      await browser.close()
      await server.close()
      await rm(folder, { recursive: true })
    })
    const { address } = server
    const [one, other] = [await browser.newPage(), await browser.newPage()]
    for (const page of [one, other]) {
      await page.goto(`${address}/live`)
      await page.getByText('live', { exact: true }).waitFor(patience)
    }
    expect(await other.locator('li').count()).toBe(1)
    expect(await createIn(one, session('noon', '12:00', '13:00'))).toBe(201)
    await other.getByText('2030-06-02 12:00 · Great hall').waitFor(patience)

    await server.close()
    const second = await start(file, Number(new URL(address).port))
    // Nobody can have heard of this one.
    await second.router.items(Session).create(session('dawn', '06:00', '07:00'))
    server = await second.serve()
    for (const page of [one, other]) {
      await page.getByText('2030-06-02 06:00 · Great hall').waitFor(patience)
      expect(await page.locator('li').count()).toBe(3)
    }
    await second.router.items(Session).delete('noon')
    for (const page of [one, other])
      await page.getByText('2030-06-02 12:00').waitFor({ ...patience, state: 'detached' })
  }, 120_000)
})
