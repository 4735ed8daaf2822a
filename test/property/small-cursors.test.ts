import fc from 'fast-check'
import { field, model, type Router, toMany, toOne } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client, ClientResponse } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const maxCursorLength = 1_024
const numRuns = Math.ceil(Number(process.env.FUZZ_RUNS ?? 300) / 20)

class Shelf extends model('shelf', {
  name: z.string().optional(),
  notes: toMany('note', { inverse: 'shelf' }),
}) {}
class Note extends model('note', {
  first: z.string().optional(),
  second: z.string().optional(),
  third: z.string().nullable().optional(),
  rank: z.number().optional(),
  secret: field(z.string().optional(), { hidden: true }),
  shelf: toOne('shelf', { optional: true }),
}) {}

/** Texts with a common beginning that is longer than a cursor, in characters of every size. */
const text = fc
  .tuple(
    fc.constantFrom('', 'a', '😀', 'é', '\u{10FFFF}', '\u{D7FF}', '"\\\n'),
    fc.constantFrom(1, 100, 700, 3_000),
    fc.constantFrom('', 'a', 'b', '😀', '\u{10FFFF}'),
  )
  .map(([unit, times, suffix]) => unit.repeat(times) + suffix)

const note = fc.record(
  {
    first: text,
    second: text,
    third: fc.option(text),
    rank: fc.constantFrom(1, -1.5, 1e300, Number.MIN_VALUE),
    shelf: fc.constantFrom('s-1', 's-2'),
  },
  { requiredKeys: ['shelf'] },
)

const sort = fc
  .uniqueArray(fc.constantFrom('first', 'second', 'third', 'rank', 'shelf.name', 'id'), {
    minLength: 1,
  })
  .chain((names) =>
    fc
      .tuple(...names.map((name) => fc.boolean().map((down) => (down ? `-${name}` : name))))
      .map((keys) => keys.join()),
  )

describe.each(stores)('A cursor on $name', ({ make }) => {
  const filled = async (notes: readonly object[]): Promise<{ router: Router; api: Client }> => {
    const fixture = service(await make(), [Shelf, Note])
    await fixture.router.load(Shelf, [
      { id: 's-1', name: `${'s'.repeat(2_000)}1` },
      { id: 's-2', name: `${'s'.repeat(2_000)}2` },
    ])
    await fixture.router.load(
      Note,
      notes.map((members, index) => ({ id: longId(index), ...members })),
    )
    return fixture
  }
  const longId = (index: number) => `n-${String(index).padStart(3, '0')}`.padEnd(128, '~')

  const walk = async (
    api: Client,
    start: string,
    rel: string,
  ): Promise<readonly ClientResponse[]> => {
    const pages: ClientResponse[] = []
    for (let next: string | undefined = start; next !== undefined; ) {
      const page = await api.get(next)
      expect([page.status, page.text.slice(0, 300)]).toEqual([200, expect.anything()])
      for (const cursor of cursorsIn(page.headers.get('link') ?? ''))
        expect(cursor.length).toBeLessThanOrEqual(maxCursorLength)
      pages.push(page)
      expect(pages.length).toBeLessThan(100)
      next = page.link(rel)
    }
    return pages
  }

  it('is at most 1 KB, and paging by it returns each item once, whatever the sort', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(note, { minLength: 1, maxLength: 12 }),
        sort,
        async (notes, sort) => {
          const { api } = await filled(notes)
          const whole = (await api.get(`/notes?sort=${sort}&fields[notes]=id`)).ids('notes')
          const forth = await walk(api, `/notes?sort=${sort}&page[size]=2`, 'next')
          expect(forth.flatMap((page) => page.ids('notes'))).toEqual(whole)
          const last = forth.at(-1)?.link('prev')
          const back = last === undefined ? [] : await walk(api, last, 'prev')
          expect(back.toReversed().flatMap((page) => page.ids('notes'))).toEqual(
            forth.slice(0, -1).flatMap((page) => page.ids('notes')),
          )
        },
      ),
      { numRuns },
    )
  })
})

function cursorsIn(header: string): readonly string[] {
  return Array.from(
    header.matchAll(/page%5B(?:after|before)%5D=([^&>]*)/g),
    ([, cursor]) => cursor!,
  )
}
