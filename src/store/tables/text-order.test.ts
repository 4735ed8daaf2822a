import { setTimeout as wait } from 'node:timers/promises'
import { hash, model } from 'resourcery'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

const words = ['a', 'B', 'c', 'D', 'é', 'f', 'Z']
const byCodePoint = ['B', 'D', 'Z', 'a', 'c', 'f', 'é']
const byLanguage = ['a', 'B', 'c', 'D', 'é', 'f', 'Z']
const fields = { text: z.string(), hash: hash() }

describeTables('The order of text', ({ serve, sql }, engine) => {
  const collation = engine === 'postgres' ? 'collate "en-x-icu"' : 'collate nocase'
  /** SQLite ignores the case of ASCII only. */
  const byCollation = engine === 'postgres' ? byLanguage : ['a', 'B', 'c', 'D', 'f', 'Z', 'é']

  const create = async (size = 0) => {
    await sql(
      `create table words (id text ${collation} primary key, text text ${collation} not null)`,
    )
    await sql('create index words_text on words (text, id)')
    const more = Array.from({ length: size }, (_, index) => `x${String(index).padStart(5, '0')}`)
    const values = [...words, ...more].map((word) => `('${word}', '${word}')`)
    await sql(`insert into words values ${values.join(', ')}`)
  }
  const pagesOf = async (api: ReturnType<typeof serve>['api'], query: string) => {
    const ids: string[] = []
    for (let path: string | undefined = `/words?${query}&page[limit]=2`; path; ) {
      const page = await api.get(path)
      expect(page.status, page.text).toBe(200)
      ids.push(...page.ids('words'))
      path = page.link('next')?.replace('http://localhost', '')
    }
    return ids
  }

  it.each([
    ['codePoint', byCodePoint],
    ['database', byCollation],
  ] as const)(
    'is that of the option order: %s, in sorts, ranges and pages',
    async (order, sorted) => {
      await create()
      const { api } = serve([model('word', fields, { order })])
      // An id is exact, and sorts by code point where its column is not.
      const ids = engine === 'sqlite' ? byCodePoint : sorted
      for (const [name, names] of [
        ['text', sorted],
        ['id', ids],
      ] as const) {
        expect(await pagesOf(api, `sort=${name}`)).toEqual(names)
        expect(await pagesOf(api, `sort=-${name}`)).toEqual(names.toReversed())
        const after = names.indexOf('D') + 1
        const sortedBy = `sort=${name}`
        expect(await pagesOf(api, `filter[${name}][gt]=D&${sortedBy}`)).toEqual(names.slice(after))
        expect(await pagesOf(api, `filter[${name}][lte]=D&${sortedBy}`)).toEqual(
          names.slice(0, after),
        )
      }
      expect(await pagesOf(api, '')).toEqual(ids)
      expect(await pagesOf(api, 'sort=text,-id')).toEqual(sorted)
      expect(await pagesOf(api, 'filter[text]=D')).toEqual(['D'])
      expect(await pagesOf(api, 'filter[id][in]=D,a,x')).toEqual(
        ids.filter((word) => ['D', 'a'].includes(word)),
      )
      expect((await api.get('/words/D')).status).toBe(200)
      expect((await api.get('/words/d')).status).toBe(404)
    },
  )

  it.runIf(engine === 'postgres')(
    'of the database is served by the indexes of its collation',
    async () => {
      await create(2_000)
      await sql('analyze words')
      const scansAfter = async (order: 'codePoint' | 'database') => {
        const { api, router } = serve([model('word', fields, { order })])
        const first = await api.get('/words?sort=text&page[limit]=2')
        await api.get(first.link('next')!)
        await api.get('/words?filter[text][gt]=x01990&sort=text&page[limit]=2')
        // A connection reports what it has read when it ends.
        await router.close()
        await wait(1_500)
        const rows = await sql(
          "select idx_scan from pg_stat_user_indexes where indexrelname = 'words_text'",
        )
        return Number(rows[0]![0])
      }
      expect(await scansAfter('codePoint')).toBe(0)
      expect(await scansAfter('database')).toBeGreaterThanOrEqual(3)
    },
  )

  it.runIf(engine === 'postgres')(
    'is exact for ids, also where texts in another case are equal',
    async () => {
      await sql(
        "create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      )
      await sql(
        'create table words (id text collate loose primary key, text text collate loose not null)',
      )
      await sql("insert into words values ('a', 'x'), ('B', 'X'), ('c', 'x'), ('D', 'X')")
      for (const order of ['codePoint', 'database'] as const) {
        const { api } = serve([model('word', fields, { order })])
        expect((await api.get('/words/B')).status).toBe(200)
        expect((await api.get('/words/b')).status).toBe(404)
        expect((await api.delete('/words/b')).status).toBe(404)
        expect(await pagesOf(api, 'sort=text')).toEqual(
          order === 'codePoint' ? ['B', 'D', 'a', 'c'] : ['B', 'D', 'a', 'c'],
        )
        expect(await pagesOf(api, 'filter[text]=x')).toEqual(
          order === 'codePoint' ? ['a', 'c'] : ['B', 'D', 'a', 'c'],
        )
      }
    },
  )
})
