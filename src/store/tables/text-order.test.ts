import { setTimeout as wait } from 'node:timers/promises'
import { file, hash, model, toMany } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'
import { describeModels } from '../../model/describe/describe-models.ts'

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
  /** A collation for which texts in another case are equal. */
  const loose = engine === 'postgres' ? 'collate loose' : 'collate nocase'
  const createLoose = async () => {
    if (engine === 'postgres')
      await sql(
        "create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      )
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
    ['codePoint', 'a table', byCodePoint],
    ['database', 'a table', byCollation],
    ['codePoint', 'a view', byCodePoint],
    ['database', 'a view', byCollation],
  ] as const)(
    'is that of the option order: %s, in sorts, ranges and pages of %s',
    async (order, kind, sorted) => {
      await create()
      await sql('create view shown_words as select * from words')
      const options =
        kind === 'a view' ? { table: 'shown_words', plural: 'words', readOnly: true } : {}
      const { api } = serve([model('word', fields, { order, ...options })])
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
      await createLoose()
      await sql(
        'create table words (id text collate loose primary key, text text collate loose not null)',
      )
      await sql("insert into words values ('a', 'X'), ('B', 'x'), ('c', 'X'), ('D', 'x')")
      for (const order of ['codePoint', 'database'] as const) {
        const { api } = serve([model('word', fields, { order })])
        expect((await api.get('/words/B')).status).toBe(200)
        expect((await api.get('/words/b')).status).toBe(404)
        expect((await api.delete('/words/b')).status).toBe(404)
        expect(await pagesOf(api, 'sort=text')).toEqual(
          order === 'codePoint' ? ['a', 'c', 'B', 'D'] : ['B', 'D', 'a', 'c'],
        )
        expect(await pagesOf(api, 'filter[text]=x')).toEqual(
          order === 'codePoint' ? ['B', 'D'] : ['B', 'D', 'a', 'c'],
        )
      }
    },
  )

  it('is the same in all ranges of ids in which a store reads its blob keys', async () => {
    await createLoose()
    const type = engine === 'postgres' ? 'jsonb' : 'text'
    await sql(`create table scans (id text ${loose}, page ${type})`)
    const numbered = (letter: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${letter}${String(index).padStart(5, '0')}`)
    // Without case, the first 10 000 end between `c` and `C`.
    const ids = [...numbered('a', 6_000), ...numbered('B', 3_999), 'c', 'C', ...numbered('D', 9)]
    const withPage = ['a00000', 'B00007', 'c', 'C', 'D00008']
    const rows = ids.map(
      (id) => `('${id}', ${withPage.includes(id) ? `'{"blobKey":"${id}"}'` : 'null'})`,
    )
    await sql(`insert into scans values ${rows.join(', ')}`)
    const [scan] = describeModels([model('scan', { page: file() }, { readOnly: true })])
    const { store } = serve([])
    await store.open([scan!])
    const keys: string[] = []
    for await (const batch of store.fastPaths!.blobKeys!(scan!)) keys.push(...batch)
    expect(keys.toSorted()).toEqual(withPage.toSorted())
  })

  it.each(['list', 'word'])(
    'of included items is that of their ids, whatever the join table has, where the %s relates',
    async (owner) => {
      await createLoose()
      await sql(`create table words (id text ${loose} primary key)`)
      await sql('create table lists (id text primary key)')
      await sql(`create table list_word (list text, word text ${loose}, primary key (list, word))`)
      await sql("insert into words values ('a'), ('B'), ('c'), ('D')")
      await sql("insert into lists values ('l')")
      await sql("insert into list_word select 'l', id from words")
      const target = owner === 'list' ? 'word' : 'list'
      const through = { through: { table: 'list_word', owner, target } }
      const ofWord = owner === 'word' ? through : { inverse: 'words' }
      const ofList = owner === 'list' ? through : { inverse: 'lists' }
      const Word = model('word', { lists: toMany('list', ofWord) })
      const List = model('list', { words: toMany('word', ofList) })
      const { api } = serve([Word, List], { policy: jsonApi() })
      for (const size of [1, 2, 3]) {
        const first = await api.get(`/lists/l?include=words&pageIncluded[words][size]=${size}`)
        expect(first.status, first.text).toBe(200)
        const ids = [...first.ids('included')]
        let next = first.at('/data/relationships/words/links/next')
        while (typeof next === 'string') {
          const page = await api.get(next)
          expect(page.status, page.text).toBe(200)
          ids.push(...page.ids('data'))
          next = page.at('/links/next')
        }
        expect(ids).toEqual(['B', 'D', 'a', 'c'])
      }
    },
  )
})
