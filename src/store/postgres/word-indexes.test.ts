import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type SearchCondition, type SearchTerm } from '../../query/query-plan.ts'
import { needleOf, wordsOf } from '../../query/search-words.ts'
import type { Store } from '../store.ts'
import { PostgresConnection } from './connection.ts'
import { postgres } from './postgres-store.ts'

const modelsSearching = (...search: ('title' | 'author.name' | 'note.text')[]) =>
  describeModels([
    model('author', { name: z.string() }),
    model(
      'book',
      {
        title: z.string(),
        note: z.object({ text: z.string() }).optional(),
        author: toOne('author', { optional: true }),
      },
      { search },
    ),
  ])
const models = modelsSearching('title', 'author.name', 'note.text')

describePostgres('An index over words', () => {
  let database: TestDatabase
  let store: Store
  /** Reads no table without an index where there is one, so that each search uses it. */
  const indexedUrl = () => `${database.url}&options=${encodeURIComponent('-c enable_seqscan=off')}`
  const run = async (sql: string, parameters: readonly unknown[] = []) =>
    (await sharedServer()).run(sql, parameters, database.name)

  beforeAll(async () => {
    database = await newDatabase()
    store = postgres(indexedUrl(), { maxConnections: 2 })
    await store.open(models)
  }, 120_000)
  afterAll(async () => {
    await store?.close()
    await database?.drop()
  })

  const searchFor = (terms: readonly SearchTerm[]): SearchCondition => ({
    kind: 'search',
    fields: ['title', 'author.name', 'note.text'].map((name) => ({
      path: toFieldPath(name),
      weight: 1,
    })),
    terms,
  })
  const foundBy = async (terms: readonly SearchTerm[]): Promise<readonly string[]> => {
    const { entries } = await store.page(models[1]!, {
      ...allItemsPlan,
      condition: searchFor(terms),
    })
    return entries.map(({ id }) => id)
  }

  it('finds what the condition finds, in rows that another program wrote', async () => {
    const characters = [
      ...'aAbB éÉßẞσςΣİıǅﬁÅ각ガ\u0301\u05b0 .,-\'"<>~&|!:*\\()_\t\n\u00a0\u200b东京😀𝒜9²',
    ]
    const word = fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 })
    const text = fc.oneof(
      fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
      fc.constantFrom('b'.repeat(64), 'b'.repeat(65), `${'b'.repeat(64)}a`, 'é'.repeat(70)),
    )
    const row = fc.record({ title: text, note: fc.option(text), name: text })
    const term = fc
      .record({
        text: fc.oneof(word, text),
        ending: fc.constantFrom('word' as const, 'beginning' as const),
        isExcluded: fc.boolean(),
      })
      .map(({ text: from, ...rest }): SearchTerm => ({ ...rest, words: wordsOf(from).trim() }))
      .filter(({ words }) => words !== '')
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 20 }),
        fc.array(fc.array(term, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 5 }),
        async (rows, searches) => {
          await run('truncate books, authors cascade')
          await run(
            `with r as (select * from jsonb_to_recordset($1::jsonb) r(id text, title text, note text, name text)),
             a as (insert into authors (id, name) select id, name from r)
             insert into books (id, title, note, author_id) select id, title, case when note is not null then jsonb_build_object('text', note) end, id from r`,
            [JSON.stringify(rows.map((each, index) => ({ ...each, id: `b${index + 10}` })))],
          )
          for (const terms of searches) {
            const expected = rows.flatMap(({ title, note, name }, index) => {
              const texts = [title, name, ...(note === null ? [] : [note])].map(wordsOf)
              const fits = terms.every(
                (each) => texts.some((words) => words.includes(needleOf(each))) !== each.isExcluded,
              )
              return fits ? [`b${index + 10}`] : []
            })
            expect(await foundBy(terms)).toEqual(expected)
          }
        },
      ),
      { numRuns: 60 },
    )
  }, 120_000)

  it('is used with that of a relation, also where they find few of many rows', async () => {
    await run('truncate books, authors cascade')
    await run(
      `insert into authors (id, name) select 'a' || n, 'Name ' || n from generate_series(1, 1000) n`,
    )
    await run(
      `insert into books (id, title, author_id) select 'b' || n, 'Title of ' || n || case when n % 500 = 0 then ' żółć' else '' end, 'a' || (n % 1000 + 1) from generate_series(1, 20000) n`,
    )
    await run('analyze books, authors')
    const usual = postgres(database.url, { maxConnections: 1 })
    await usual.open(models)
    const explained: string[] = []
    const { run: runOn } = PostgresConnection.prototype
    const spy = vi.spyOn(PostgresConnection.prototype, 'run').mockImplementation(async function (
      this: PostgresConnection,
      statements,
      options,
    ) {
      for (const { sql, parameters } of statements)
        if (sql.includes('strpos')) {
          const explain = { sql: `explain ${sql}`, parameters }
          const [result] = await runOn.call(this, [explain], { timeoutMs: 10_000 })
          explained.push(result!.rows.join('\n'))
        }
      return runOn.call(this, statements, options)
    })
    try {
      const { entries } = await usual.page(models[1]!, {
        ...allItemsPlan,
        condition: searchFor([
          { words: 'zołc', ending: 'beginning', isExcluded: false },
          { words: 'title', ending: 'word', isExcluded: false },
        ]),
        pageRange: { kind: 'offset', offset: 0, limit: 20 },
      })
      expect(entries).toHaveLength(20)
      const byAuthor = searchFor([{ words: 'name 7', ending: 'word', isExcluded: false }])
      expect(await usual.count(models[1]!, byAuthor)).toBe(20)
    } finally {
      spy.mockRestore()
      await usual.close()
    }
    expect(explained).toHaveLength(2)
    for (const steps of explained) {
      expect(steps).toMatch(/BitmapOr[\s\S]*Bitmap Index Scan on books_words_[\s\S]*author_id_idx/)
      expect(steps).toMatch(/Bitmap Index Scan on authors_words_/)
      expect(steps).not.toContain('Seq Scan on books')
    }
  }, 120_000)

  it('finds a related item by its new name at once, and nothing of a transaction that failed', async () => {
    await run('truncate books, authors cascade')
    await run(`insert into authors (id, name) values ('a', 'Currer Bell')`)
    await run(`insert into books (id, title, author_id) values ('b', 'Jane Eyre', 'a')`)
    const bronte: SearchTerm = { words: 'bronte', ending: 'word', isExcluded: false }
    expect(await foundBy([bronte])).toEqual([])
    await run(`begin; update authors set name = 'Charlotte Brontë'; rollback`)
    expect(await foundBy([bronte])).toEqual([])
    await run(`update authors set name = 'Charlotte Brontë'`)
    expect(await foundBy([bronte])).toEqual(['b'])
  })

  it('holds a text with more words than an index can have', async () => {
    await run('truncate books, authors cascade')
    const words = Array.from({ length: 60_000 }, (_, index) => `word${index}`).join(' ')
    await run(`insert into books (id, title) values ('b', $1), ('c', 'word1')`, [words])
    const term = (text: string): SearchTerm => ({ words: text, ending: 'word', isExcluded: false })
    expect(await foundBy([term('word59999')])).toEqual(['b'])
    expect(await foundBy([term('word1')])).toEqual(['b', 'c'])
    expect(await foundBy([term('word60000')])).toEqual([])
  })

  it('is planned online for a table that exists, and made anew where other texts are searched', async () => {
    const wanted = modelsSearching('title', 'author.name')
    const steps = await store.admin!.plan!(wanted)
    expect(steps.map(({ kind, summary }) => [kind, summary])).toEqual([
      ['online', "Create an index over the words of 'title' of 'books', for searches."],
      [
        'never',
        expect.stringMatching(
          /^Drop the index 'books_words_[0-9a-f]{8}_idx' of 'books', over words that only processes of another version search\.$/,
        ),
      ],
    ])
    // As a person runs the statements of a plan.
    for (const { sql = [] } of steps as readonly { sql?: readonly string[] }[])
      for (const statement of sql) await run(statement)
    const after = postgres(database.url)
    expect(await after.admin!.plan!(wanted)).toEqual([])
    await after.close()
    await run(
      "update pg_index set indisvalid = false where indexrelid::regclass::text like 'books_words_%'",
    )
    expect((await store.admin!.plan!(wanted)).map(({ summary }) => summary)).toEqual([
      "Drop the invalid index, and create it again over the words of 'title' of 'books', for searches.",
    ])
    const again = postgres(database.url)
    await again.open(wanted)
    expect(await again.admin!.plan!(wanted)).toEqual([])
    await again.close()
  })

  it('is left out where the role may not create functions, and a start says so', async () => {
    const role = `searcher_${database.name}`
    const warnings: string[] = []
    const warn = vi
      .spyOn(process, 'emitWarning')
      .mockImplementation((warning) => void warnings.push(String(warning)))
    await run(`create role ${role} login`)
    const url = database.url.replace('postgres@', `${role}@`)
    try {
      await run(`grant select, insert, update, delete on all tables in schema public to ${role}`)
      const limited = postgres(url)
      await limited.open(modelsSearching('title', 'author.name'))
      expect(warnings).toEqual([])
      const unindexed = postgres(url)
      await unindexed.open(models)
      expect(warnings).toEqual([
        "Searches read all items of 'books', because the role of the service may not create the function of an index over their words. `resourcery plan --sql` prints the statements that a person runs.",
      ])
      const word: SearchTerm = { words: 'word59999', ending: 'word', isExcluded: false }
      expect(await unindexed.count(models[1]!, searchFor([word]))).toBe(1)
      await Promise.all([limited.close(), unindexed.close()])
    } finally {
      warn.mockRestore()
      await run(`drop owned by ${role}`)
      await run(`drop role ${role}`)
    }
  })

  it('is missed by a process until its next start, where its function was dropped', async () => {
    const word: SearchTerm = { words: 'dropped', ending: 'word', isExcluded: false }
    await run(
      `do $do$ begin execute (select format('drop function %s cascade', oid::regprocedure) from pg_proc where proname like 'resourcery_words_%'); end $do$`,
    )
    await expect(foundBy([word])).rejects.toThrow(
      /^The tables have changed since this process opened them: function public\.resourcery_words_[0-9a-f]{8}\(text\) does not exist\. Start the program again/,
    )
    await store.close()
    store = postgres(indexedUrl(), { maxConnections: 2 })
    await store.open(models)
    await run(`insert into books (id, title) values ('dropped', 'Dropped')`)
    expect(await foundBy([word])).toEqual(['dropped'])
    await run(`delete from books where id = 'dropped'`)
  })
})
