import { ApiError, createRouter, hash, model, type Policy, problem } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { StoreUnavailable } from 'resourcery/store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Note = model('note', { text: z.string(), hash: hash() }, { history: true, trash: true })

/** What each text does in the mapper of today. */
const mapped: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('The mapper is newer than the item.')
  },
  refuses: () => {
    throw new ApiError([problem('forbidden', 'The mapper refuses the item.')])
  },
  'is no JSON': () => 1n,
}

const policies: readonly { name: string; policy: () => Policy; broken: (id: string) => object }[] =
  [
    { name: 'REST', policy: rest, broken: (id) => ({ id }) },
    {
      name: 'JSON:API',
      policy: jsonApi,
      broken: (id) => ({ type: 'notes', id, links: { self: `/notes/${id}` } }),
    },
  ]

describe.each(stores)('Deleted items that mappers cannot handle ($name)', ({ make }) => {
  async function world(policy: Policy, onText: (text: string) => unknown) {
    const errors: unknown[] = []
    const store = await make()
    let nowMs = Date.parse('2026-03-01T10:00:00Z')
    const router = createRouter({
      policy,
      store,
      onError: (error) => errors.push(error),
      now: () => new Date(nowMs++),
    })
    router.prepare(Note).map((note) => ({ ...note, text: onText(note.text) as string }))
    return { api: client(router), notes: router.items(Note), errors }
  }

  it.each(policies)(
    'stand in the trash with their id, so that they can be deleted for good, under $name',
    async ({ policy, broken }) => {
      const { api, notes, errors } = await world(policy(), (text) => mapped[text]?.() ?? text)
      const texts = ['fine', ...Object.keys(mapped)]
      for (const [index, text] of texts.entries()) {
        await notes.create({ id: `n${index}`, text })
        await notes.delete(`n${index}`)
      }
      const trash = await api.get('/notes/trash')
      expect(trash.status).toBe(200)
      const entries = (trash.at('/trash') ?? trash.at('/meta/trash')) as { item: object }[]
      expect(entries.map(({ item }) => item)).toEqual([
        broken('n3'),
        broken('n2'),
        broken('n1'),
        expect.objectContaining({ id: 'n0' }),
      ])
      expect(JSON.stringify(entries[3])).toContain('"text":"fine"')
      expect(errors.map(String)).toEqual([
        'TypeError: Do not know how to serialize a BigInt',
        'ApiError: forbidden: The mapper refuses the item.',
        'Error: The mapper is newer than the item.',
      ])
      for (const [index, entry] of entries.entries()) {
        const one = await api.get(`/notes/trash/n${3 - index}`)
        expect(one.status).toBe(200)
        expect(one.at('/meta') ?? one.body).toEqual(entry)
        expect((await api.delete(`/notes/trash/n${3 - index}`)).status).toBe(204)
      }
      const empty = await api.get('/notes/trash')
      expect(empty.at('/trash') ?? empty.at('/meta/trash')).toEqual([])
    },
  )

  it('are not shown so where the mapper works later', async () => {
    let isDown = true
    const { api, notes } = await world(rest(), (text) => {
      if (isDown) throw new StoreUnavailable('The service of names is down.')
      return text
    })
    await notes.create({ id: 'n', text: 'fine' })
    await notes.delete('n')
    for (const path of ['/notes/trash', '/notes/trash/n'])
      expect((await api.get(path)).status).toBe(503)
    isDown = false
    expect((await api.get('/notes/trash/n')).at('/item/text')).toBe('fine')
  })

  it('have their id in versions too, where what a mapper returns is no JSON', async () => {
    const { api, notes, errors } = await world(rest(), (text) => mapped[text]?.() ?? text)
    await notes.create({ id: 'n', text: 'is no JSON' })
    await notes.update('n', { text: 'fine' })
    const versions = await api.get('/notes/n/versions')
    expect(versions.at('/versions')).toMatchObject([
      { item: { text: 'fine' } },
      { item: { id: 'n' } },
    ])
    expect((await api.get('/notes/n/versions/1')).at('/item')).toEqual({ id: 'n' })
    expect(errors.map(String)).toContain('TypeError: Do not know how to serialize a BigInt')
  })
})
