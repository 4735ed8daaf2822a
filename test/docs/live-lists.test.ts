import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRouter, model, type Router } from 'resourcery'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { blocksOf, pageAt, temporaryFolder } from '../support/documentation.ts'

type Follow = (
  list: URL,
  headers: Readonly<Record<string, string>>,
  show: (items: ReadonlyMap<string, unknown>) => void,
  signal: AbortSignal,
) => Promise<void>

const Session = model('session', { title: z.string(), room: z.string() }, { ids: 'client' })

/** The code that the page shows. */
async function shownCode(): Promise<Follow> {
  const block = blocksOf(pageAt('docs/guide/live-lists.md')).find(({ code }) =>
    code.includes('export async function followList'),
  )
  const folder = temporaryFolder('live-lists')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'follow-list.ts')
  writeFileSync(file, block!.code)
  const { followList } = (await import(file)) as { readonly followList: Follow }
  return followList
}

function sessions(connectionMs: number): Router {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    changes: { feed: { connectionMs } },
  })
  router.prepare(Session)
  return router
}

it('the loop of the guide shows what the list is, over many connections', {
  timeout: 60_000,
}, async () => {
  const followList = await shownCode()
  const router = sessions(100)
  const server = await serve(router)
  onTestFinished(() => server.close())
  const items = router.items(Session)
  await items.create({ id: 'a', title: 'Opening', room: 'Aula' })
  let shown: unknown
  const ending = new AbortController()
  const ended = followList(
    new URL(`${server.address}/sessions?filter[room]=Aula`),
    {},
    (current) => {
      shown = Object.fromEntries(current)
    },
    ending.signal,
  )
  const isShown = (expected: unknown) =>
    vi.waitFor(() => expect(shown).toEqual(expected), { timeout: 30_000 })
  const [a, b] = [
    { id: 'a', title: 'Opening', room: 'Aula' },
    { id: 'b', title: 'Keynote', room: 'Aula' },
  ]
  await isShown({ a })
  await items.create(b)
  await isShown({ a, b })
  await items.update('a', { room: 'Library' })
  await isShown({ b })
  await items.update('b', { title: 'Closing' })
  await isShown({ b: { ...b, title: 'Closing' } })
  // A reset: nobody can tell what the erased item was.
  await router.erase(Session, 'b')
  await items.create({ id: 'c', title: 'Party', room: 'Aula' })
  await isShown({
    b: { ...b, title: 'Closing' },
    c: { id: 'c', title: 'Party', room: 'Aula' },
  })
  ending.abort()
  await ended
})

it('the loop of the guide reads the list again where the log no longer has its position', async () => {
  const followList = await shownCode()
  const responses = [
    Response.json({ sessions: [{ id: 'a' }] }, { headers: { 'changes-position': 'old' } }),
    Response.json({ errors: [{ code: 'changes-expired' }] }, { status: 410 }),
    Response.json({ sessions: [] }, { headers: { 'changes-position': 'new' } }),
    Response.json({}, { status: 403 }),
  ]
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: URL) => {
    asked.push(url.search)
    return responses.shift()
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const shown: number[] = []
  const list = new URL('http://localhost/sessions?sort=id&filter[room]=Aula')
  const { signal } = new AbortController()
  await expect(followList(list, {}, ({ size }) => void shown.push(size), signal)).rejects.toThrow()
  const followed = (position: string) => `?filter%5Broom%5D=Aula&since=${position}`
  expect(asked).toEqual([list.search, followed('old'), list.search, followed('new')])
  expect(shown).toEqual([1, 0])
})

it('the loop of the guide ends where the request is wrong, and asks for nothing more', async () => {
  const followList = await shownCode()
  const server = await serve(sessions(100))
  onTestFinished(() => server.close())
  const list = new URL(`${server.address}/sessions?filter[nobody]=1`)
  const follows = followList(list, {}, () => {}, new AbortController().signal)
  await expect(follows).rejects.toThrow('unknown-field')
})
