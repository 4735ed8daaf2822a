import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startBookstore } from '../support/bookstore-process.ts'

const kills = Number(process.env.KILLS ?? 3)
const writers = 8
/** Items that are acknowledged before the service is killed. */
const leastWrites = 100
const folder = mkdtempSync(join(tmpdir(), 'kills-'))
const DATABASE_URL = `sqlite:${join(folder, 'bookstore.db')}`

afterAll(() => rmSync(folder, { recursive: true }))

/** The names that a writer sent: the last acknowledged one, and one that was without a response. */
interface WriteState {
  acknowledged: string | undefined
  unanswered: string | undefined
}

it(
  'every acknowledged write is kept, and no write in part, when the service is killed at random times under load',
  async () => {
    let acknowledged = 0
    for (let kill = 0; kill < kills; kill++) {
      const bookstore = await startBookstore({ DATABASE_URL, SEED: '0' })
      const writes = new Map<string, WriteState>()
      const writing = Array.from({ length: writers }, (_, writer) =>
        write(bookstore.address, `${kill}-${writer}`, writes),
      )
      const enough = leastWrites + Math.random() * leastWrites
      while (count(writes) < enough)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
      await bookstore.stop('SIGKILL')
      await Promise.all(writing)
      const again = await startBookstore({ DATABASE_URL, SEED: '0' })
      for (const [id, one] of writes) await expectKept(again.address, id, one)
      await expectWhole(again.address)
      expect(await again.stop(), `after ${kill + 1} kills: ${again.output()}`).toBe(0)
      acknowledged += count(writes)
    }
    if (process.env.KILLS)
      console.log(`${kills} kills: none of ${acknowledged} acknowledged items lost`)
  },
  60_000 + kills * 10_000,
)

function count(writes: ReadonlyMap<string, WriteState>): number {
  return [...writes.values()].filter((entry) => entry.acknowledged !== undefined).length
}

const genres = (address: string, id = '') => `${address}/json-api/genres${id && `/${id}`}`

/** Creates genres below one another and renames them, until the service is gone. */
async function write(
  address: string,
  name: string,
  writes: Map<string, WriteState>,
): Promise<void> {
  for (let index = 0; ; index++) {
    const id = `g${name}-${index}`
    const parent = index === 0 ? null : { type: 'genres', id: `g${name}-${index - 1}` }
    const born = {
      type: 'genres',
      id,
      attributes: { name: id },
      relationships: { parent: { data: parent } },
    }
    if (!(await sendWrite('POST', genres(address), born, writes, id, id))) return
    const renamed = `${id} again`
    if (
      !(await sendWrite(
        'PATCH',
        genres(address, id),
        { type: 'genres', id, attributes: { name: renamed } },
        writes,
        id,
        renamed,
      ))
    )
      return
  }
}

async function sendWrite(
  method: string,
  url: string,
  data: object,
  writes: Map<string, WriteState>,
  id: string,
  name: string,
) {
  const one = writes.get(id) ?? { acknowledged: undefined, unanswered: undefined }
  writes.set(id, one)
  one.unanswered = name
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data }),
    })
    expect([200, 201]).toContain(response.status)
    // The headers alone are the acknowledgement: the body may be truncated.
    one.acknowledged = name
    one.unanswered = undefined
    await response.arrayBuffer()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

async function expectKept(
  address: string,
  id: string,
  { acknowledged, unanswered }: WriteState,
): Promise<void> {
  const response = await fetch(genres(address, id))
  if (acknowledged === undefined) {
    expect([200, 404]).toContain(response.status)
    return
  }
  expect(response.status, `${id} was acknowledged`).toBe(200)
  const { data } = (await response.json()) as { data: { attributes: { name: string } } }
  expect([acknowledged, ...(unanswered === undefined ? [] : [unanswered])]).toContain(
    data.attributes.name,
  )
}

/** Every relation leads to an existing item, and back. */
async function expectWhole(address: string): Promise<void> {
  const { data } = (await (await fetch(genres(address))).json()) as {
    data: readonly { id: string; relationships: { parent: { data: { id: string } | null } } }[]
  }
  const ids = new Set(data.map((entry) => entry.id))
  for (const { relationships } of data) {
    const parent = relationships.parent.data
    if (parent) expect(ids.has(parent.id)).toBe(true)
  }
}
