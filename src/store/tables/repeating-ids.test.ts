import { hash, model } from 'resourcery'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

const Line = model(
  'line',
  { title: z.string().nullable().default(null), hash: hash() },
  { table: 'lines', key: 'language_id', readOnly: true },
)

describeTables('A key that is not unique', ({ serve, sql }) => {
  /** Rows with these ids, and a title that tells them apart. */
  const linesOf = async (idOf: (row: number) => number, count: number) => {
    await sql('create table lines (language_id integer, title text)')
    const values = Array.from({ length: count }, (_, row) => `(${idOf(row)}, 'Title ${row}')`)
    await sql(`insert into lines values ${values.join(', ')}`)
    return serve([Line], { manage: false }).api
  }
  const titles = (body: unknown) =>
    (body as { lines: readonly { title: string }[] }).lines.map(({ title }) => title)

  it.each([
    ['one id', () => 1],
    ['ids that repeat at the end of a batch', (row: number) => Math.floor((row + 1) / 3)],
    ['an id of more rows than a batch', (row: number) => (row < 20 ? row : 50)],
  ])('shows each row once, with %s', async (_, idOf) => {
    const api = await linesOf(idOf, 1_200)
    for (const query of ['', '?sort=title', '?sort=-title', '?filter[title][contains]=Title']) {
      const shown = titles((await api.get(`/lines${query}`)).body)
      expect(shown).toHaveLength(1_200)
      expect(new Set(shown).size).toBe(1_200)
    }
    expect(titles((await api.get('/lines?sort=title&page[size]=300')).body)).toHaveLength(300)
  })
})
